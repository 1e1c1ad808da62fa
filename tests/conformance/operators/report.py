# SPDX-License-Identifier: Apache-2.0
"""Makes docs/operators.md from the outcomes of all cases."""
import collections
from types import MappingProxyType

from known import reason_for

_ORDER = ("identity", "onnxruntime", "openvino", "iree", "tvm", "xla", "mnn", "ncnn", "litert", "executorch", "torchscript",
          "torch-compile", "eager-cpp", "aotinductor")
_INTRO = """\
<!-- SPDX-License-Identifier: Apache-2.0 -->
# Operators × compilers

Which ONNX operators run in which compiler, and are right? The cases are the onnx package's own node tests
(onnx.backend.test.case.node, onnx {onnx}), {which}: a model of one operator, inputs, and the outputs that the ONNX
project expects. Each case ran as a cell, in a worker, on x86-64. Cases with strings, sequences or element types that
NGraphBench does not have, and operators for training, are left out.

This page is made by `scripts/operators{options}`; with other compilers or versions it becomes theirs.

The tests give everything as data, also what real models have as constants of the file: shapes, axes, pads, numbers
of iterations. Such a test counts twice: *as exporters write it*, with those operands as constants, and *all as data*,
which compilers with static shapes refuse.

- **right**: the outputs are the expected ones, with a study's tolerances or the test's own if they are wider
- **refused**: `unsupported_operator`, with what the compiler says of the operator or of its form
- **wrong**: other outputs, which a study's check reports as `inaccurate`
- **failed**: any other failure
"""


def write(results: dict, kept: dict = MappingProxyType({})) -> str:
    """Return the page. `results` is {"onnx", "options", "is_all", "cases", "compilers": {name: {"version", "outcomes":
    {case: [kind, message]}}}}. `kept`: what `read` has found of compilers that are not among them."""
    names = [name for name in _ORDER if name in results["compilers"] or name in kept]
    which = "all of them" if results["is_all"] else "at most two of each operator"
    parts = [_INTRO.format(onnx=results["onnx"], which=which, options=results["options"])]
    parts.append("## Counts\n\n" + _counts(results, names, kept).rstrip("\n") + "\n")
    parts.append("## By operator\n\n" + _by_operator(results, names, kept))
    parts.append("## What is wrong or failed\n\n" + _exceptions(results, names, kept))
    return "\n".join(parts).rstrip("\n") + "\n"


def read(page: str) -> dict:
    """Return {compiler: {"counts": [row of each table], "cells": {operator: text}, "exceptions": text}} of a page."""
    found = collections.defaultdict(lambda: {"counts": [], "cells": {}, "exceptions": ""})
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in page.splitlines() if line.startswith("| ")]
    heading = next(place for place, row in enumerate(rows) if row[0] == "operator")
    for row in rows[:heading]:
        if row[0] not in ("compiler", "---"):
            found[row[0].split()[0]]["counts"].append(row)
    for operator, *cells in rows[heading + 2:]:
        if operator == "operator":
            break
        for name, cell in zip(rows[heading][1:], cells):
            found[name]["cells"][operator] = cell
    for section in page.partition("## What is wrong or failed")[2].split("### ")[1:]:
        found[section.split()[0]]["exceptions"] = f"### {section.rstrip()}\n\n"
    return dict(found)


def verdict(kind: str) -> str:
    return {"right": "right", "unsupported_operator": "refused", "inaccurate": "wrong"}.get(kind, "failed")


def _row(cells) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def _table(heading, rows) -> str:
    return _row(heading) + _row(["---"] * len(heading)) + "".join(_row(row) for row in rows)


def _counts(results, names, kept) -> str:
    text = ""
    for place, (title, left_out) in enumerate((("As exporters write it", "data"), ("All as data", "constant"))):
        cases = [case["name"] for case in results["cases"] if case["form"] != left_out]
        runs = _right(results, "onnxruntime", cases)
        rows = []
        for name in names:
            if name not in results["compilers"]:
                rows.append(kept[name]["counts"][place])
                continue
            outcomes = results["compilers"][name]["outcomes"]
            counts = collections.Counter(verdict(outcomes[case][0]) for case in cases if case in outcomes)
            both = len(runs & _right(results, name, cases))
            share = f"{both} ({100 * both / len(runs):.0f} %)" if runs else ""
            rows.append([f"{name} {results['compilers'][name]['version']}", *(counts[each] for each in (
                "right", "refused", "wrong", "failed")), share])
        text += f"{title}: {len(cases)} cases.\n\n" + _table(
            ["compiler", "right", "refused", "wrong", "failed", f"of onnxruntime's {len(runs)} right"], rows) + "\n"
    return text


def _right(results, name, cases) -> set:
    outcomes = results["compilers"].get(name, {"outcomes": {}})["outcomes"]
    return {case for case in cases if outcomes.get(case, [""])[0] == "right"}


def _by_operator(results, names, kept) -> str:
    def cell(name, operator, cases):
        if name not in results["compilers"]:
            return kept[name]["cells"].get(operator, "")
        return _cell(results["compilers"][name]["outcomes"], cases)

    by_operator = collections.defaultdict(list)
    for case in results["cases"]:
        by_operator[case["operator"]].append(case)
    rows = [[operator, *(cell(name, operator, cases) for name in names)]
            for operator, cases in sorted(by_operator.items(), key=lambda item: item[0].lower())]
    return ("A cell has the verdict on cases as exporters write them, with numbers if they differ; behind \"data:\" that "
            "on cases with all as data, if it is another.\n\n" + _table(["operator", *names], rows))


def _cell(outcomes, cases) -> str:
    def counted(chosen):
        return collections.Counter(verdict(outcomes[case["name"]][0]) for case in chosen if case["name"] in outcomes)

    usual = counted([case for case in cases if case["form"] != "data"])
    data = counted([case for case in cases if case["form"] == "data"])
    usual, data = (usual, data) if usual else (data, collections.Counter())
    text = _said(usual)
    others = {each for each in data if each not in usual}
    return f"{text}; data: {_said({each: data[each] for each in data})}" if others else text


def _said(counts) -> str:
    if len(counts) == 1:
        (only,) = counts
        return only
    return ", ".join(f"{counts[each]} {each}" for each in ("right", "refused", "wrong", "failed") if counts.get(each))


def _exceptions(results, names, kept) -> str:
    text = ""
    for name in names:
        if name not in results["compilers"]:
            text += kept[name]["exceptions"]
            continue
        rows = []
        outcomes = results["compilers"][name]["outcomes"]
        for case in results["cases"]:
            kind, message = outcomes.get(case["name"], ["right", ""])
            if verdict(kind) in ("wrong", "failed"):
                rows.append([case["operator"], f"`{case['name']}`", kind, _cut(message), reason_for(name, case, kind)])
        if rows:
            text += f"### {name}\n\n" + _table(["operator", "case", "kind", "message", "why"], rows) + "\n"
    return text


def _cut(message: str) -> str:
    _, _, own = message.rpartition("outputs compared with those of the onnx package's node tests: ")
    line = " ".join(own.split()).replace("|", "\\|")
    return line if len(line) <= 160 else line[:157] + "…"
