# SPDX-License-Identifier: Apache-2.0
"""Formats for services that watch numbers over time, each read by its own reader, or checked by the schema that its
documentation has. NGB_READERS names a Python with prometheus_client and apache-otava; else the build's."""

import csv
import io
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import time
import unittest

from ngb_program import NgbTest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "truth"), str(TESTS / "oracle")]
from made_up import Process, Setting  # noqa: E402
from made_up_results import study  # noqa: E402

PYTHON = os.environ.get("NGB_READERS") or TESTS.parent / "build/dependencies/python/bin/python"
FIRST_NS = (int(time.time()) // 86_400 - 20) * 86_400 * 10**9  # Otava reads the last year
HOSTILE = 'a "quoted" \\ name,\n# EOF'
# https://bencher.dev/docs/reference/bencher-metric-format/
BENCHER = {"type": "object", "patternProperties": {".+": {"type": "object", "patternProperties": {".+": {
    "type": "object", "required": ["value"], "additionalProperties": False,
    "properties": {"value": {"type": "number"}, "lower_value": {"type": "number"}, "upper_value": {"type": "number"}}}}}}}
# https://shields.io/badges/endpoint-badge
BADGE = {"type": "object", "required": ["schemaVersion", "label", "message"], "additionalProperties": False,
         "properties": {"schemaVersion": {"const": 1}, "label": {"type": "string"}, "isError": {"type": "boolean"},
                        "message": {"type": "string", "minLength": 1},
                        "color": {"enum": ["brightgreen", "yellow", "orange", "red"]}}}
# https://github.com/benchmark-action/github-action-benchmark: customSmallerIsBetter
ACTION = {"type": "array", "items": {"type": "object", "required": ["name", "unit", "value"], "additionalProperties": False,
                                     "properties": {"name": {"type": "string"}, "unit": {"type": "string"},
                                                    "value": {"type": "number"}, "range": {"type": "string"}}}}
OPEN_METRICS = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
print(json.dumps([[family.name, family.type, [[each.labels, each.value] for each in family.samples]]
                  for family in text_string_to_metric_families(sys.stdin.read())]))
"""
OTAVA = """
import csv, json, sys
from otava.importer import CsvImporter
from otava.series import AnalysisOptions
from otava.test_config import CsvTestConfig, CsvMetric
from otava.csv_options import CsvOptions
with open(sys.argv[1], newline="") as file: name = next(csv.reader(file))[-1]
test = CsvTestConfig("speed", sys.argv[1], CsvOptions(), "time", [CsvMetric(name, 1, 1.0, name)], ["results"])
series = CsvImporter().fetch_data(test)
analyzed = series.analyze(AnalysisOptions())
print(json.dumps([name, series.time, [int(each.index) for each in analyzed.change_points[name]]]))
"""


def lacks(module):
    has = pathlib.Path(PYTHON).exists() and subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode == 0
    return None if has else f"{PYTHON} has no {module}"


class Formats(NgbTest):
    def results(self, name, onnxruntime=10.0, day=0, model="net", newer=None):
        """Results of PyTorch eager with 20 ms, of onnxruntime 1.0, and of 1.1 if there is a time of it."""
        times = {"2.0": 20.0, "1.0": onnxruntime, "1.1": newer}

        def process(setting, of_model, number):
            return Process([times[setting.version] * (1 + number / 1000) + each / 1000 for each in range(8)])

        settings = [Setting("identity", "identity", "2.0"), Setting("onnxruntime", "onnxruntime", "1.0")]
        settings += [Setting("onnxruntime", "newer", "1.1")] if newer else []
        folder = study(self.folder / name, settings, [model], 3, process)
        with sqlite3.connect(folder / "results.db") as database:
            database.execute("UPDATE run SET run_id = ?, started_unix_ns = ?", (f"{day:016}", FIRST_NS + day * 86_400 * 10**9))
        database.close()
        return name

    def told(self, *arguments, code=0):
        told = self.ngb(*arguments)
        self.assertEqual(told.returncode, code, told.stdout + told.stderr)
        return told.stdout

    def check(self, text, schema):
        program = "import json, jsonschema, sys; jsonschema.validate(*json.load(sys.stdin))"
        checked = subprocess.run([PYTHON, "-c", program], input=json.dumps([json.loads(text), schema]), capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        return json.loads(text)

    def read(self, program, *arguments, text=None):
        done = subprocess.run([PYTHON, "-c", program, *arguments], input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    @unittest.skipIf(lacks("jsonschema"), lacks("jsonschema"))
    def test_bencher_has_each_number_of_each_cell_with_its_interval(self):
        told = self.check(self.told("show", self.results("one"), "--format", "bencher"), BENCHER)
        name = "net, batch 1, on xeon: onnxruntime 1.0, 2 threads, f32"
        self.assertEqual(len(told), 2)
        speed = told[name]["speed_up_ratio"]
        self.assertAlmostEqual(speed["value"], 2, 2)
        self.assertLessEqual(speed["lower_value"], speed["value"])
        self.assertEqual([*self.check(self.told("show", "one", "--format", "bencher", "--columns", "latency"), BENCHER)[name]],
                         ["latency_p50_s"])

    @unittest.skipIf(lacks("jsonschema"), lacks("jsonschema"))
    def test_github_action_benchmark_has_only_what_is_better_if_it_is_less(self):
        told = self.check(self.told("show", self.results("one"), "--format", "github-action-benchmark"), ACTION)
        self.assertIn({"name": "net, batch 1, on xeon: onnxruntime 1.0, 2 threads, f32: timed_peak_bytes", "unit": "bytes",
                       "value": 90e6}, told)
        self.assertFalse([each for each in told if "throughput" in each["name"]])

    @unittest.skipIf(lacks("jsonschema"), lacks("jsonschema"))
    def test_badge_says_what_the_gate_says(self):
        sides = ("--baseline", "onnxruntime@1.0", "--candidate", "onnxruntime@1.1", "--format", "badge")
        badge = self.check(self.told("gate", self.results("slower", newer=20.0), *sides, code=4), BADGE)
        self.assertEqual((badge["label"], badge["message"], badge["color"]), ("ngb gate", "1 slower", "red"))
        faster = self.check(self.told("compare", self.results("faster", newer=5.0), *sides), BADGE)
        self.assertEqual((faster["label"], faster["message"], faster["color"]), ("ngb compare", "1 faster", "brightgreen"))

    @unittest.skipIf(lacks("prometheus_client"), lacks("prometheus_client"))
    def test_open_metrics_are_read_by_the_reader_of_prometheus_whatever_a_model_is_called(self):
        text = self.told("show", self.results("one", model=HOSTILE), "--format", "openmetrics")
        families = {name: samples for name, kind, samples in self.read(OPEN_METRICS, text=text)}
        (_, identity), (labels, ort) = families["ngb_throughput_per_s"]
        self.assertAlmostEqual(identity, 50, 0)
        self.assertAlmostEqual(ort, 100, 0)
        self.assertEqual((labels["compiler"], labels["compiler_version"], labels["batch"]), ("onnxruntime", "1.0", "1"))
        self.assertTrue(labels["model"].startswith('a "quoted" \\ name,'), labels["model"])
        self.assertLess(families["ngb_throughput_per_s_low"][1][1], families["ngb_throughput_per_s_high"][1][1])

    @unittest.skipIf(lacks("otava"), lacks("otava"))
    def test_otava_finds_in_the_history_the_day_on_which_a_compiler_became_slower(self):
        days = [self.results(f"day{day}", (10.0, 12.0)[day >= 6] * (1 + day * 7 % 5 / 500), day) for day in range(12)]
        self.write("history.csv", self.told("history", *days, "--format", "otava"))
        name, times, changes = self.read(OTAVA, str(self.folder / "history.csv"))
        self.assertEqual(name, "net, batch 1, on xeon: onnxruntime 1.0, 2 threads")
        self.assertEqual(times[1] - times[0], 86_400)
        self.assertEqual(changes, [6])

    def test_otava_gets_no_results_that_lack_a_line(self):
        self.results("one")
        lacking = self.results("two", day=1)
        with sqlite3.connect(self.folder / lacking / "results.db") as database:
            database.execute("UPDATE process SET is_complete = 0 WHERE cell_key = 2")
        database.close()
        rows = [*csv.reader(io.StringIO(self.told("history", "one", "two", "--format", "otava")))]
        self.assertEqual([row[:2] for row in rows], [["time", "results"], [time.strftime("%Y-%m-%dT00:00:00Z", time.gmtime(FIRST_NS // 10**9)), "one"]])

    def test_the_nearest_format_is_suggested(self):
        self.assertIn("did you mean openmetrics?", self.ngb("show", self.results("one"), "--format", "openmetric").stderr)


if __name__ == "__main__":
    unittest.main()
