# SPDX-License-Identifier: Apache-2.0
"""Memory that inferences keep: found, told from an arena, and judged. The null compiler keeps it in truth; only its times are
made up."""

import json

from ngb_program import MeasuredTest

STUDY = """\
name: leak
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - "null": {label: tight, options: {made_up_ns: 2000000}}
  - "null": {label: leaking, options: {made_up_ns: 2000000, leak_bytes: 1024}}
  - "null": {label: filling, options: {made_up_ns: 2000000, leak_bytes: 8192, leak_inferences: 500}}
reference: none
processes: 3
repetitions: 5
warm_up: 1
leak: true
disturbance: {max_wait_percent: 100}
output: results
"""
GROWTH = "memory_growth_bytes_per_inference"


class Leak(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY)
        ran = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def cell(self, label):
        return next(each for each in self.show("results")["cells"] if each["compiler_label"] == label)

    def test_of_a_kilobyte_an_inference_is_found_with_an_interval_above_0(self):
        growth = self.cell("leaking")["metrics"][GROWTH]
        self.assertGreater(growth["low"], 900)
        self.assertLess(growth["high"], 1200)
        self.assertIn("growing_memory", self.cell("leaking")["flags"])

    def test_is_none_where_nothing_is_kept_or_an_arena_has_filled(self):
        for label in ("tight", "filling"):
            with self.subTest(label):
                self.assertLess(abs(self.cell(label)["metrics"][GROWTH]["value"]), 100)
                self.assertNotIn("growing_memory", self.cell(label)["flags"])

    def test_is_watched_from_the_first_inference_on(self):
        rows = self.query("results", "SELECT process_key, MIN(value), MAX(value), COUNT(*) FROM reading WHERE moment = 'mark' "
                                     "AND quantity = 'inferences' GROUP BY process_key")
        self.assertEqual(len(rows), 9)
        for _, first, last, count in rows:
            self.assertEqual(first, 1)
            self.assertGreaterEqual(last, 1000)
            self.assertGreaterEqual(count, 100)

    def gate(self, candidate, *arguments):
        return self.ngb("gate", "results", "--baseline", "tight", "--candidate", candidate, *arguments)

    def test_fails_a_gate_with_4_and_an_arena_passes_it(self):
        failed = self.gate("leaking", "--metric", GROWTH)
        self.assertEqual(failed.returncode, 4, failed.stdout + failed.stderr)
        self.assertEqual(failed.stdout.splitlines()[0], "1 worse")
        self.assertRegex(failed.stdout, r"worse +\+1\.\d+ kB ")
        passed = self.gate("filling", "--metric", GROWTH)
        self.assertEqual(passed.returncode, 0, passed.stdout + passed.stderr)
        self.assertEqual(passed.stdout.splitlines()[0], "1 same")
        within = self.gate("leaking", "--metric", GROWTH + ":5kB")
        self.assertEqual(within.returncode, 0, within.stdout + within.stderr)

    def test_is_a_difference_and_no_ratio_in_json(self):
        pair, = json.loads(self.gate("leaking", "--metric", GROWTH, "--json").stdout)["pairs"]
        self.assertIsNone(pair["ratio"])
        self.assertGreater(pair["difference"]["value"], 900)
        self.assertEqual(pair["metric"], GROWTH)

    def test_of_one_process_is_not_judged(self):
        self.write("one.yaml", STUDY.replace("processes: 3", "processes: 1").replace("output: results", "output: one"))
        self.assertEqual(self.ngb("run", "one.yaml", "--no-report").returncode, 0)
        told = self.ngb("gate", "one", "--baseline", "tight", "--candidate", "leaking", "--metric", GROWTH,
                        "--fail-if-undecided")
        self.assertEqual(told.returncode, 5, told.stdout + told.stderr)
        self.assertIn("fewer than 3 rounds hold both sides", told.stdout)

    def test_is_asked_for_by_a_gate_that_measures(self):
        study = STUDY.replace("leak: true\n", "").replace("output: results\n", "output: other\n")
        self.write("plain.yaml", study)
        told = self.ngb("gate", "plain.yaml", "--baseline", "tight", "--candidate", "leaking", "--metric", GROWTH, "-o", "gated")
        self.assertEqual(told.returncode, 4, told.stdout + told.stderr)
        self.assertEqual(self.query("gated", "SELECT value FROM protocol WHERE key = 'leak'"), [("true",)])

    def test_says_what_results_lack_that_did_not_watch(self):
        self.write("plain.yaml", STUDY.replace("leak: true\n", "").replace("output: results", "output: plain"))
        self.assertEqual(self.ngb("run", "plain.yaml", "--no-report").returncode, 0)
        told = self.ngb("gate", "plain", "--baseline", "tight", "--candidate", "leaking", "--metric", GROWTH)
        self.assertEqual(told.returncode, 3, told.stdout + told.stderr)
        self.assertIn("`leak: true` in the study", told.stdout)
