# SPDX-License-Identifier: Apache-2.0
"""Measures files that others have published (files.py), each as a user would: with the keys that `ngb plan` advises, at
batch sizes 1 and 2 where the file leaves its batch open. Compares with plain onnxruntime in Python at the same shapes,
and writes a page. Not a part of CI: it downloads packages and takes about half an hour.

    python3 tests/bench/field/field.py NGB [--folder FOLDER] [--page docs/field.md]
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

COMPILERS = ("identity", "onnxruntime", "openvino")
FAST = "disturbance: {max_wait_percent: 100}\nprocesses: 1\nwarm_up: 1\nrepetitions: 3\nmin_repetition_ms: 0\n"
CELLS = ("SELECT compiler_label, batch, kind, message FROM cell JOIN model USING (model_key) "
         "LEFT JOIN process USING (cell_key) LEFT JOIN failure USING (process_key)")


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
    """Return {batch: what plain onnxruntime says} at the shapes of the study."""
    site = ":".join(str(next(toolchains.glob(f"{name}/*/site"))) for name in ("onnxruntime", "identity"))
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
    said = {}
    for batch, described in inputs.items():
        run = subprocess.run([python, pathlib.Path(__file__).with_name("plain.py"), model, json.dumps(described)],
                             capture_output=True, text=True, env={**os.environ, "PYTHONPATH": site}, timeout=300)
        said[batch] = run.stdout.strip().splitlines()[-1] if run.stdout.strip() else run.stderr[-200:]
    return said


def measure(arguments, package, model, folder):
    """Return a row of the page: {"file", "cells": {(compiler, batch): word}, "plain": {batch: word}, "refusal"}."""
    folder.mkdir(parents=True, exist_ok=True)
    row = {"package": package, "file": model.name, "cells": {}, "plain": {}, "refusal": ""}
    study, row["refusal"] = planned(arguments.ngb, folder, model)
    if study is None:
        return row
    subprocess.run([arguments.ngb, "run", study, "-o", folder / "results", "--no-report"], capture_output=True,
                   timeout=arguments.limit_s)
    database = folder / "results" / "results.db"
    with sqlite3.connect(database) as results:
        for compiler, batch, kind, message in results.execute(CELLS):
            row["cells"][compiler.split()[0], batch] = f"{kind}: {message.splitlines()[0]}" if kind else "measured"
    row["plain"] = plain_runs(arguments.toolchains, study, database, model)
    return row


def counts_of(rows):
    """Return (cells of onnxruntime that plain Python runs, those that are measured, all cells, all that are measured)."""
    theirs = [(row, batch) for row in rows for batch, said in row["plain"].items() if said == "runs"]
    ours = [each for each in theirs if each[0]["cells"].get(("onnxruntime", each[1])) == "measured"]
    cells = [word for row in rows for word in row["cells"].values()]
    return len(theirs), len(ours), len(cells), cells.count("measured")


def page_of(rows):
    theirs, ours, cells, measured = counts_of(rows)
    lines = ["<!-- SPDX-License-Identifier: Apache-2.0 -->", "# Files in the field", "",
             "ONNX files that others have published in packages, each measured with the keys that `ngb plan` advises. This page "
             "is made by", "`tests/bench/field/field.py`.", "",
             f"{len(rows)} files, {cells} cells, {measured} measured. At the same shapes, onnxruntime in plain Python runs "
             f"{theirs} of its cells; {ours} of these are measured here.", "",
             "| package | file | cells that are not measured |", "| --- | --- | --- |"]
    for row in rows:
        missing = [f"{compiler}, batch {batch}: {word}" for (compiler, batch), word in sorted(row["cells"].items())
                   if word != "measured"]
        missing += [f"plain onnxruntime, batch {batch}: {word}" for batch, word in sorted(row["plain"].items())
                    if word != "runs"]
        text = row["refusal"] or "<br>".join(missing) or "none"
        text = text.replace("|", "\\|").replace("\n", " ")
        lines.append(f"| {row['package']} | {row['file']} | {text[:400]} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    home = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share")
    parser.add_argument("ngb", help="the program")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("field"), help="packages and results")
    parser.add_argument("--toolchains", type=pathlib.Path, default=home / "ngraphbench/toolchains")
    parser.add_argument("--page", type=pathlib.Path, help="write the page")
    parser.add_argument("--only", default="", help="files whose path has this text")
    parser.add_argument("--limit-s", type=int, default=900, help="for one file")
    arguments = parser.parse_args()
    arguments.folder = arguments.folder.absolute()
    rows = []
    for place, (package, path) in enumerate(files.fetch(arguments.folder / "packages")):
        if arguments.only not in str(path):
            continue
        row = measure(arguments, package, path, arguments.folder / "studies" / f"{place}-{path.stem}")
        print(package, path.name, row["refusal"] or dict(collections.Counter(row["cells"].values())), row["plain"], flush=True)
        rows.append(row)
    print("onnxruntime's cells in plain Python, and here; all cells, and those measured:", *counts_of(rows))
    if arguments.page:
        arguments.page.write_text(page_of(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
