# SPDX-License-Identifier: Apache-2.0
"""What must not change unless it is meant to: what a study expands to, what an old results file says, and every byte that
commands write of results.

`python3 golden_test.py --write`, with NGB_BIN set to a build's bin folder and PYTHONPATH to ../oracle, writes the expected
files anew. A commit that does so says why."""

import hashlib
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import everything
import outputs

NGB = pathlib.Path(os.environ["NGB_BIN"]) / "ngb"
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUTPUTS = HERE / "outputs"
STUDIES = [*sorted((ROOT / "studies").rglob("*.yaml")), HERE / "everything.yaml"]
# As PRAGMA application_id and user_version say in a file of the oldest schema that is read; .dump leaves both out.
APPLICATION_ID = 0x4E474252
OLDEST_SCHEMA = 7


def ngb(*arguments, codes=(0,)):
    with tempfile.TemporaryDirectory(prefix="ngb-golden-") as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "NGB_TOOLCHAINS": home + "/toolchains", "LANG": "C.UTF-8"}
        told = subprocess.run([NGB, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=1500)
    if told.returncode not in codes:
        raise AssertionError(f"ngb {arguments[0]} ended with {told.returncode}: {told.stderr}")
    return told.stdout


def expected_plan(study):
    """Returns the file with a study's expansion: below plans/ as the study is below studies/."""
    folder = HERE if study.parent == HERE else ROOT / "studies"
    return HERE / "plans" / study.relative_to(folder).with_suffix(".json")


def digest_of(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def expansion_of(study):
    """The ids, hashes and order of a study's plan: a digest for each device and model, and one for the order."""
    plan = json.loads(ngb("plan", study, "--json"))
    cells = {}
    for cell in plan["cells"]:
        cells.setdefault(f'{cell["device"]}: {cell["model"]}', []).append(cell["id"])
    models = sorted({(model["label"], model["hash"][:16]) for model in plan["models"]})
    return {
        "cells": {group: f"{len(ids)}, {digest_of(ids)}" for group, ids in cells.items()},
        "all_cells": digest_of([cell["id"] for cell in plan["cells"]]),
        "models": [f"{label}: {model_hash}" for label, model_hash in models],
        "all_models": digest_of([[model["hash"], model["batch"]] for model in plan["models"]]),
        "order": digest_of(plan["groups"]),
        "processes": plan["process_count"],
        "seed": plan["study"]["seed"],
    }


def old_results_file(folder):
    """Restores the results of the oldest schema; returns their folder."""
    results = pathlib.Path(folder) / "stored"
    results.mkdir()
    with sqlite3.connect(results / "results.db") as database:
        database.executescript((HERE / "stored.sql").read_text())
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {OLDEST_SCHEMA}")
    database.close()
    return results


def written_outputs(folder):
    """What commands write of both results, by the name of the file below outputs/. Made-up results get the tables of old
    ones that were copied, which are of the newest schema."""
    stored, newest, made_up = old_results_file(folder), pathlib.Path(folder) / "newest", pathlib.Path(folder) / "everything"
    ngb("merge", stored, "-o", newest)
    everything.write(made_up, newest)
    written = dict(_plan_outputs())
    for results, listed in ((made_up, outputs.OF_EVERYTHING), (stored, outputs.OF_STORED)):
        for each in listed:
            # 4 and 5: a gate or a choice that does not hold, which is an output as well.
            text = ngb(*(results if word == "RESULTS" else word for word in each.arguments), codes=(0, 4, 5))
            written[each.file] = outputs.steady(text)
    report = pathlib.Path(folder) / "report"
    ngb("report", made_up, "-o", report, *(word for form in outputs.TABLES for word in ("--tables", form)))
    for table in sorted((report / "tables").iterdir()):
        written[f"tables/{table.name}"] = outputs.steady(table.read_text())
    ngb("report", made_up, "-o", report, "--compiler", "openvino", "--compiler", "basic", "--compiler", "identity")
    words, data = outputs.of_page((report / "index.html").read_text())
    return written | {"page.text": outputs.steady(words), "page.json": outputs.steady(data)}


def _plan_outputs():
    study = HERE / "everything.yaml"
    text = ngb("plan", study, "--all")
    yield "plan.text", text[text.index("\nCells\n") + 1 : text.index("What can be decided")]
    yield "plan.json", json.dumps(json.loads(ngb("plan", study, "--json"))["cells"], indent=1) + "\n"


def read_json(path):
    return json.loads(path.read_text())


def rounded(value):
    """The same with numbers to 12 digits: compilers differ in the last ones."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def digests_of_cells(cells):
    """A digest for each cell. Which value differs is told by outputs/stored-show.text and its neighbours."""
    return {cell["cell_id"]: digest_of(rounded(cell)) for cell in cells}


class Plans(unittest.TestCase):
    maxDiff = None

    def test_each_study_expands_to_the_same_cells_models_and_order(self):
        self.assertTrue(STUDIES)
        for study in STUDIES:
            with self.subTest(str(study.relative_to(ROOT))):
                self.assertEqual(expansion_of(study), read_json(expected_plan(study)))


class OldResults(unittest.TestCase):
    maxDiff = None

    def test_a_results_file_of_the_first_schema_shows_the_same_values(self):
        with tempfile.TemporaryDirectory(prefix="ngb-golden-") as folder:
            shown = json.loads(ngb("show", old_results_file(folder), "--json"))
        self.assertEqual(digests_of_cells(shown["cells"]), read_json(HERE / "stored.json"))


class Outputs(unittest.TestCase):
    maxDiff = 4000

    def test_each_command_writes_the_same_bytes_in_each_format(self):
        with tempfile.TemporaryDirectory(prefix="ngb-golden-") as folder:
            written = written_outputs(folder)
        expected = {str(file.relative_to(OUTPUTS)): file.read_text() for file in OUTPUTS.rglob("*") if file.is_file()}
        self.assertEqual(sorted(written), sorted(expected))
        for name, text in written.items():
            with self.subTest(name):
                self.assertEqual(text, expected[name])


def write_expected():
    for study in STUDIES:
        expected_plan(study).parent.mkdir(parents=True, exist_ok=True)
        expected_plan(study).write_text(json.dumps(expansion_of(study), indent=1) + "\n")
    with tempfile.TemporaryDirectory(prefix="ngb-golden-") as folder:
        shown = ngb("show", old_results_file(folder), "--json")
        (HERE / "stored.json").write_text(json.dumps(digests_of_cells(json.loads(shown)["cells"]), indent=1) + "\n")
    with tempfile.TemporaryDirectory(prefix="ngb-golden-") as folder:
        written = written_outputs(folder)
    shutil.rmtree(OUTPUTS, ignore_errors=True)
    for name, text in written.items():
        (OUTPUTS / name).parent.mkdir(parents=True, exist_ok=True)
        (OUTPUTS / name).write_text(text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write_expected()
    else:
        unittest.main()
