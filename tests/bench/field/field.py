# SPDX-License-Identifier: Apache-2.0
"""Measures files that others have published (files.py), exports (exports.py) and PyTorch modules (recent_modules.py), each as a
user would: with the keys that `ngb plan` advises, at batch sizes 1 and 2 where the file leaves its batch open. Runs each with
plain onnxruntime and openvino in Python at the same shapes, a module with PyTorch, and writes what it found as
FOLDER/DRAW.json, for page.py. A cell is measured if `ngb show` has a speed of it. Not a part of CI: it downloads packages
and takes about half an hour.

    python3 tests/bench/field/field.py NGB [--draw first|second|third] [--folder FOLDER] [--exporter PYTHON] [--every N]
"""
import argparse
import collections
import json
import os
import pathlib
import re
import sqlite3
import subprocess

import files

HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = ("identity", "onnxruntime", "openvino")
FAST = "disturbance: {max_wait_percent: 100}\nprotocol: paper\nprocesses: 1\nwarm_up: 1\nrepetitions: 3\nmin_repetition_ms: 0\n"
TOKENS = ["shapes: {ids: [batch, 16]}", "inputs: {ids: {type: i64, range: [0, 199]}}"]
IMAGES = ["shapes: {x: [batch, 3, 64, 64]}"]
MODULES = {"qwen3": TOKENS, "gemma3": TOKENS, "modernbert": TOKENS, "dinov3": IMAGES, "siglip2": IMAGES, "fastvit": IMAGES}

# `entry` is the line that names the model in a study, `keys` are what its author knows; `path` is what plain Python runs.
Drawn = collections.namedtuple("Drawn", "package name path entry keys")


def write_study(folder, drawn, keys, batches):
    entry = f"models:\n  - {drawn.entry}\n" + "".join(f"    {key}\n" for key in keys)
    study = folder / "study.yaml"
    study.write_text(f"{entry}compilers: [{', '.join(COMPILERS)}]\nbatch_sizes: {batches}\n{FAST}", encoding="utf-8")
    return study


def planned(ngb, folder, drawn):
    """Return (study, refusal): the study with what `ngb plan` advises, or why there is none."""
    keys, batches = drawn.keys, [1, 2]
    for _ in range(3):
        study = write_study(folder, drawn, keys, batches)
        plan = subprocess.run([ngb, "plan", study], capture_output=True, text=True)
        said = plan.stderr + plan.stdout
        advised = re.findall(r"^    (\w+: \{.*\})$", said, re.M)
        if plan.returncode == 0 and not advised:
            return study, ""
        made_for = re.search(r"made for batch (\d+), not", said)
        if made_for and batches != [int(made_for[1])]:
            batches = [int(made_for[1])]
        elif advised and not set(advised) <= set(keys):
            keys = [key for key in keys if key.split(":")[0] not in {each.split(":")[0] for each in advised}] + advised
        elif plan.returncode == 0:
            return study, ""
        else:
            break
    return None, plan.stderr.strip()


def plain_runs(toolchains, study, database, drawn):
    """Return [[library, batch, what it says in plain Python]] at the shapes of the study."""
    python = json.loads(next(toolchains.glob("identity/*/manifest.json")).read_text())["python"]
    with sqlite3.connect(database) as open_database:
        rows = open_database.execute("SELECT batch, name, element_type, shape_json FROM model_input JOIN model USING "
                                     "(model_key)").fetchall()
    ranges = {name.strip('"'): (int(least), int(largest)) for name, least, largest in
              re.findall(r"([^\s{,]+): \{(?:type: \w+, )?range: \[(-?\d+), (-?\d+)\]\}", study.read_text())}
    inputs = collections.defaultdict(dict)
    for batch, name, kind, shape in rows:
        usual = (0, 1) if kind[0] in "iub" else (-1, 1)
        inputs[batch][name] = [kind, json.loads(shape), *ranges.get(name, usual)]
    said = []
    for library in ("identity",) if drawn.entry.startswith("pytorch") else ("onnxruntime", "openvino"):
        site = ":".join(str(max(toolchains.glob(f"{name}/*/site"))) for name in dict.fromkeys((library, "identity")))
        for batch, described in inputs.items():
            run = subprocess.run([python, HERE / "plain.py", library, drawn.path, json.dumps(described)], text=True,
                                 timeout=300, capture_output=True, env={**os.environ, "PYTHONPATH": site})
            lines = run.stdout.strip().splitlines() or [f"exit code {run.returncode}: {run.stderr[-200:]}"]
            said.append([library, batch, lines[-1]])
    return said


def run_study(arguments, study, results):
    """Return (cells, refusal): [compiler, batch, word, reference] of each cell, or why the run has ended without."""
    try:
        run = subprocess.run([arguments.ngb, "run", study, "-o", results, "--no-report"], capture_output=True, text=True,
                             timeout=arguments.limit_s)
    except subprocess.TimeoutExpired:
        return [], f"the run did not end in {arguments.limit_s} s"
    if run.returncode not in (0, 1):  # 1: cells failed
        return [], f"the run ended with exit code {run.returncode}: {run.stderr.strip()}"
    shown = subprocess.run([arguments.ngb, "show", results, "--json"], capture_output=True, text=True, check=True)
    return [[cell["compiler"], cell["batch"], word_of(cell), cell["reference"] or ""]
            for cell in json.loads(shown.stdout)["cells"]], ""


def word_of(cell):
    """Return "measured", or why the cell has no speed."""
    speed = cell["metrics"]["throughput_per_s"]
    if speed["value"]:
        return "measured"
    failure = cell["failure"]
    return f"{failure['kind']}: {failure['message'].splitlines()[0]}" if failure else f"no speed: {speed['reason']}"


def measure(arguments, drawn, folder):
    """Return a row: {"package", "file", "cells": [[compiler, batch, word, reference]], "plain": [[library, batch, word]],
    "refusal"}."""
    folder.mkdir(parents=True, exist_ok=True)
    row = {"package": drawn.package, "file": drawn.name, "cells": [], "plain": [], "refusal": ""}
    study, row["refusal"] = planned(arguments.ngb, folder, drawn)
    if study is not None:
        row["cells"], row["refusal"] = run_study(arguments, study, folder / "results")
    if row["cells"]:
        row["plain"] = plain_runs(arguments.toolchains, study, folder / "results" / "results.db", drawn)
    return row


def of_file(package, path):
    name = f"{path.parent.name}.onnx" if path.stem == "model" else path.name
    return Drawn(package, name, path, f"onnx: {json.dumps(str(path))}", [])


def modules(arguments):
    """Return the modules of the draw, which import packages of the exporter."""
    site = subprocess.run([arguments.exporter, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True,
                          capture_output=True, check=True).stdout.strip()
    source = arguments.folder / "recent_modules.py"
    source.write_text(f"import sys\nsys.path.append({site!r})\n" + (HERE / source.name).read_text(encoding="utf-8"), encoding="utf-8")
    return [Drawn("module", name, f"{source}:{name}", f"pytorch: {json.dumps(f'{source}:{name}')}", keys)
            for name, keys in MODULES.items()]


def drawn(arguments):
    """Return each model of the draw: files of packages and, with an exporter, exports and the third draw's modules."""
    found = [of_file(*each) for each in files.fetch(arguments.folder / "packages", arguments.toolchains, arguments.draw)]
    if arguments.exporter:
        exports = arguments.folder / f"exports-{arguments.draw}"
        exports.mkdir(exist_ok=True)
        subprocess.run([arguments.exporter, HERE / "exports.py", arguments.draw, exports], check=True)
        found += [of_file("export", path) for path in sorted(exports.glob("*.onnx"))]
        found += modules(arguments) if arguments.draw == "third" else []
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    home = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share")
    parser.add_argument("ngb", help="the program")
    parser.add_argument("--draw", choices=files.DRAWS, default="first")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("field"), help="packages and results")
    parser.add_argument("--exporter", help="a Python with what exports.py imports; without it there are no exports")
    parser.add_argument("--toolchains", type=pathlib.Path, default=home / "ngraphbench/toolchains")
    parser.add_argument("--only", default="", help="files whose path has this text")
    parser.add_argument("--every", type=int, default=1, help="a sample: every Nth file of the draw")
    parser.add_argument("--results", type=pathlib.Path, help="where the rows are written; FOLDER/DRAW.json by default")
    parser.add_argument("--limit-s", type=int, default=900, help="for one file")
    arguments = parser.parse_args()
    arguments.folder = arguments.folder.absolute()
    results = arguments.results or arguments.folder / f"{arguments.draw}.json"
    rows = []
    for place, each in enumerate(drawn(arguments)):
        if place % arguments.every == 0 and arguments.only in str(each.path):
            rows.append(measure(arguments, each, results.with_suffix("") / f"{place}-{pathlib.Path(each.name).stem}"))
            said = rows[-1]["refusal"] or dict(collections.Counter(word for _, _, word, _ in rows[-1]["cells"]))
            print(each.package, rows[-1]["file"], said, rows[-1]["plain"], flush=True)
            results.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
