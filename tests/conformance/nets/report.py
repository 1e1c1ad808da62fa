# SPDX-License-Identifier: Apache-2.0
"""Makes docs/nets.md from a results file and the list of drawn nets."""
import collections
import re

_ORDER = ("identity", "torchscript", "eager-cpp", "torch-compile", "aotinductor", "onnxruntime", "openvino", "tvm", "xla",
          "iree", "mnn", "ncnn", "litert", "executorch")
_INTRO = """\
<!-- SPDX-License-Identifier: Apache-2.0 -->
# Nets × compilers

Does a net that nobody has prepared run? {count} nets were drawn with the seed {seed}: {timm} of timm {timm_version},
{torchvision} of torchvision {torchvision_version}, {layers} of torch.nn. timm's and torchvision's families (the files
of their packages) came in random order, and from each a random model of at most {most} parameters; torch.nn's are
random entries of a list (tests/conformance/nets). Weights are random; torchvision's nets have the batch statistics of
two random images. Batch 1, one thread, one process of few repetitions: this page is about results, not about speed.

This page is made by `scripts/nets{options}`.

A cell has the largest relative error of the outputs against the module in eager PyTorch, where the reference is not 0;
outputs are right if |error| ≤ 1e-4 + 1e-3 · |reference| (a study's tolerances). In place of a number it has the kind of
the failure. *tracing* and *dynamo*: which of PyTorch's exporters wrote the ONNX file; *none*: neither could. –: not
measured.
"""


def write(results: dict) -> str:
    """Return the page. `results`: {"nets", "seed", "most", "options", "versions", "exporters": {label: word}, "cells":
    {label: {compiler: {"error", "kind", "message"}}}}."""
    nets, cells = results["nets"], results["cells"]
    names = [name for name in _ORDER if any(name in row for row in cells.values())]
    sources = collections.Counter(net["source"] for net in nets)
    text = _INTRO.format(count=len(nets), seed=results["seed"], most=f"{results['most']:,}", options=results["options"],
                         timm=sources["timm"], torchvision=sources["torchvision"], layers=sources["torch.nn"],
                         timm_version=results["versions"]["timm"],
                         torchvision_version=results["versions"]["torchvision"])
    return text + "\n" + _counts(nets, cells, names) + "\n" + _table(results, names) + "\n" + _reasons(nets, cells, names)


def read(page: str) -> dict:
    """Return {"cells", "exporters"} of a page, as `write` takes them."""
    rows = [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    heading = next((place for place, row in enumerate(rows) if row[0] == "net" and "ONNX" in row), len(rows))
    reasons = next((place for place, row in enumerate(rows) if row[:2] == ["net", "compilers"]), len(rows))
    cells, exporters = collections.defaultdict(dict), {}
    for label, _, _, exporter, *outcomes in rows[heading + 2:reasons]:
        if exporter != "–":
            exporters[label] = exporter
        for compiler, outcome in zip(rows[heading][4:], outcomes):
            if outcome != "–":
                cells[label][compiler] = _outcome(outcome)
    for label, compilers, kind, message in rows[reasons + 2:]:
        for compiler in compilers.split(", "):
            cells[label][compiler] = {"kind": kind, "message": message.replace("\\|", "|"), "error": None}
    return {"cells": cells, "exporters": exporters}


def _outcome(text: str) -> dict:
    try:
        return {"kind": None, "message": "", "error": float(text)}
    except ValueError:
        return {"kind": None if text == "right" else text, "message": "", "error": None}


def _row(cells) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def _counts(nets, cells, names) -> str:
    text = "## Counts\n\n" + _row(["compiler", "with a result", "of", "failures"]) + _row(["---"] * 4)
    for name in names:
        rows = [cells[net["label"]][name] for net in nets if name in cells.get(net["label"], {})]
        right = sum(not row["kind"] for row in rows)
        kinds = collections.Counter(row["kind"] for row in rows if row["kind"])
        text += _row([name, f"{right} ({100 * right / len(rows):.0f} %)", len(rows),
                      ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))])
    return text


def _table(results, names) -> str:
    text = "## By net\n\n" + _row(["net", "parameters", "input", "ONNX", *names]) + _row(["---"] * (4 + len(names)))
    for net in results["nets"]:
        row = results["cells"].get(net["label"], {})
        text += _row([net["label"], f"{net['parameters']:,}", net["size"], results["exporters"].get(net["label"], "–"),
                      *(_cell(row.get(name)) for name in names)])
    return text


def _cell(outcome) -> str:
    if outcome is None:
        return "–"
    if outcome["kind"]:
        return outcome["kind"]
    return "right" if outcome["error"] is None else f"{outcome['error']:.0e}"


def _reasons(nets, cells, names) -> str:
    text = "## Why not\n\n" + _row(["net", "compilers", "kind", "message"]) + _row(["---"] * 4)
    for net in nets:
        reasons = collections.defaultdict(list)
        for name in names:
            outcome = cells.get(net["label"], {}).get(name)
            if outcome and outcome["kind"]:
                reasons[outcome["kind"], _cut(outcome["message"])].append(name)
        for (kind, message), compilers in reasons.items():
            text += _row([net["label"], ", ".join(compilers), kind, message])
    return text


def _cut(message: str) -> str:
    line = re.sub(r"/\S*/toolchains/", "…/", " ".join(message.split())).replace("|", "\\|")  # where it is installed here
    return line if len(line) <= 240 else line[:239] + "…"
