# SPDX-License-Identifier: Apache-2.0
"""Measures files that others have published (files.py) and exports (exports.py), each as a user would: with the keys that
`ngb plan` advises, at batch sizes 1 and 2 where the file leaves its batch open. Runs each with plain onnxruntime and
openvino in Python at the same shapes, and writes what it found as FOLDER/DRAW.json, for page.py. Not a part of CI: it
downloads packages and takes about half an hour.

    python3 tests/bench/field/field.py NGB [--draw first|second] [--folder FOLDER] [--exporter PYTHON]
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
CELLS = ("SELECT compiler_label, batch, kind, message, reference FROM cell JOIN model USING (model_key) "
         "LEFT JOIN process USING (cell_key) LEFT JOIN failure USING (process_key) "
         "LEFT JOIN output_check USING (process_key)")


def write_study(folder, model, keys, batches):
    entry = f"models:\n  - onnx: {json.dumps(str(model))}\n" + "".join(f"    {key}\n" for key in keys)
    study = folder / "study.yaml"
    study.write_text(f"{entry}compilers: [{', '.join(COMPILERS)}]\nbatch_sizes: {batches}\n{FAST}", encoding="utf-8")
    return study


def planned(ngb, folder, model):
    """Return (study, refusal): the study with what `ngb plan` advises, or why there is none."""
    keys, batches = [], [1, 2]
    for _ in range(3):
        study = write_study(folder, model, keys, batches)
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


def plain_runs(toolchains, study, database, model):
    """Return [[library, batch, what it says in plain Python]] at the shapes of the study."""
    python = json.loads(next(toolchains.glob("identity/*/manifest.json")).read_text())["python"]
    with sqlite3.connect(database) as open_database:
        rows = open_database.execute("SELECT batch, name, element_type, shape_json FROM model_input JOIN model USING "
                                     "(model_key)").fetchall()
    ranges = {name.strip('"'): (int(least), int(largest)) for name, least, largest in
              re.findall(r"([^\s{,]+): \{range: \[(-?\d+), (-?\d+)\]\}", study.read_text())}
    inputs = collections.defaultdict(dict)
    for batch, name, kind, shape in rows:
        usual = (0, 1) if kind[0] in "iub" else (-1, 1)
        inputs[batch][name] = [kind, json.loads(shape), *ranges.get(name, usual)]
    said = []
    for library in ("onnxruntime", "openvino"):
        site = ":".join(str(max(toolchains.glob(f"{name}/*/site"))) for name in (library, "identity"))
        for batch, described in inputs.items():
            run = subprocess.run([python, HERE / "plain.py", library, model, json.dumps(described)], text=True, timeout=300,
                                 capture_output=True, env={**os.environ, "PYTHONPATH": site})
            lines = run.stdout.strip().splitlines() or [run.stderr[-200:]]
            said.append([library, batch, lines[-1]])
    return said


def measure(arguments, package, model, folder):
    """Return a row: {"package", "file", "cells": [[compiler, batch, word, reference]], "plain": [[library, batch, word]],
    "refusal"}."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{model.parent.name}.onnx" if model.stem == "model" else model.name
    row = {"package": package, "file": name, "cells": [], "plain": [], "refusal": ""}
    study, row["refusal"] = planned(arguments.ngb, folder, model)
    if study is None:
        return row
    subprocess.run([arguments.ngb, "run", study, "-o", folder / "results", "--no-report"], capture_output=True,
                   timeout=arguments.limit_s)
    database = folder / "results" / "results.db"
    with sqlite3.connect(database) as results:
        for compiler, batch, kind, message, reference in results.execute(CELLS):
            word = f"{kind}: {message.splitlines()[0]}" if kind else "measured"
            row["cells"].append([compiler.split()[0], batch, word, reference or ""])
    row["plain"] = plain_runs(arguments.toolchains, study, database, model)
    return row


def drawn(arguments):
    """Return (package, path) of each file of the draw, and of the exports with the first."""
    found = files.fetch(arguments.folder / "packages", arguments.toolchains, arguments.draw)
    if arguments.exporter:
        exports = arguments.folder / f"exports-{arguments.draw}"
        exports.mkdir(exist_ok=True)
        subprocess.run([arguments.exporter, HERE / "exports.py", arguments.draw, exports], check=True)
        found += [("export", path) for path in sorted(exports.glob("*.onnx"))]
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
    parser.add_argument("--results", type=pathlib.Path, help="where the rows are written; FOLDER/DRAW.json by default")
    parser.add_argument("--limit-s", type=int, default=900, help="for one file")
    arguments = parser.parse_args()
    arguments.folder = arguments.folder.absolute()
    results = arguments.results or arguments.folder / f"{arguments.draw}.json"
    rows = []
    for place, (package, path) in enumerate(drawn(arguments)):
        if arguments.only in str(path):
            rows.append(measure(arguments, package, path, results.with_suffix("") / f"{place}-{path.stem}"))
            said = rows[-1]["refusal"] or dict(collections.Counter(word for _, _, word, _ in rows[-1]["cells"]))
            print(package, rows[-1]["file"], said, rows[-1]["plain"], flush=True)
            results.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
