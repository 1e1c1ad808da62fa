# SPDX-License-Identifier: Apache-2.0
"""Rounds, answers, pages and choices by another metric than the speed. The null compiler holds memory in truth; its times are made
up, and equal but for half a percent."""

import json
import re

from ngb_program import MeasuredTest, NgbTest

STUDY = """\
name: decided
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - "null": {label: large, options: {made_up_ns: 2000000, memory_bytes: 120000000}}
  - "null": {label: small, options: {made_up_ns: 2000000}}
batch_sizes: [1]
baseline: large
reference: none
disturbance: {max_wait_percent: 100}
repetitions: 16
warm_up: 1
metric: timed_peak_bytes:5%
rounds: {max: 12}
output: results
"""


class DecidedByMemory(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY)
        ran = self.ngb("run", "study.yaml")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        (self.folder / "answer.txt").write_text(ran.stdout)

    def test_rounds_end_as_soon_as_the_memory_is_told_apart(self):
        counts = self.query("results", "SELECT compiler_label, count(*) FROM process JOIN cell USING (cell_key) GROUP BY 1")
        self.assertEqual(counts, [("large", 3), ("small", 3)])

    def test_the_run_ends_with_what_is_best_by_it(self):
        answer = re.sub(r"\s+", " ", (self.folder / "answer.txt").read_text())
        found = re.search(r"small is the best by timed_peak_bytes on .* at batch 1: (\S+) MB, at least (\S+) % less than large",
                          answer)
        self.assertIsNotNone(found, answer)
        self.assertLess(float(found[1]), 60)
        self.assertGreater(float(found[2]), 60)

    def test_show_answers_by_the_study_s_metric_or_by_another(self):
        by_study = self.show("results")["conclusions"]["answer"]["sentences"]
        self.assertIn("is the best by timed_peak_bytes", by_study[0])
        by_speed = self.ngb("show", "results", "--metric", "throughput_per_s").stdout
        self.assertNotIn("the best by", by_speed)
        by_start = self.ngb("show", "results", "--metric", "compile_peak_bytes").stdout
        self.assertIn("the best by compile_peak_bytes", by_start)

    def test_the_page_begins_with_the_metric_that_is_asked_for(self):
        told = self.ngb("report", "results", "--metric", "compile_peak_bytes", "-o", "page")
        self.assertEqual(told.returncode, 0, told.stderr)
        page = (self.folder / "page/index.html").read_text()
        self.assertIn("the best by compile_peak_bytes", page)

    def test_choose_lists_first_what_is_best_by_it(self):
        asked = ("choose", "results", "--latency", "p50=1s", "--load", "1/s", "--json", "--metric")
        by_memory = json.loads(self.ngb(*asked, "timed_peak_bytes").stdout)
        self.assertEqual([row["compiler_label"] for row in by_memory], ["small", "large"])
        self.assertLess(by_memory[0]["wanted"], by_memory[1]["wanted"])

    def test_a_metric_by_which_nothing_can_be_answered_is_refused(self):
        for metric, reason in {"timed_peak_byte": "did you mean timed_peak_bytes", "agreement_ratio": "it is over the inputs of variants",
                               "timed_peak_bytes:5": "has no unit"}.items():
            for command in ("show", "report"):
                told = self.ngb(command, "results", "--metric", metric)
                self.assertEqual(told.returncode, 2, told.stderr)
                self.assertIn(reason, told.stderr)


class DecidedByNothing(NgbTest):
    def test_a_metric_that_cannot_end_rounds_is_refused_with_those_that_can(self):
        for metric, reason in {"timed_peak_byte": "study.yaml: metric: there is no metric \"timed_peak_byte\"; did you mean timed_peak_bytes",
                               "agreement_ratio": "rounds cannot end by agreement_ratio: no single process says it, or it does not "
                                                  "vary; expected throughput_per_s, latency_p50_s",
                               "shipped_size_bytes": "rounds cannot end by shipped_size_bytes",
                               "memory_growth_bytes_per_inference": "do not measure memory_growth_bytes_per_inference; add leak: true",
                               "compile_s:5": 'the margin "5" has no unit'}.items():
            self.write("study.yaml", STUDY.replace("timed_peak_bytes:5%", metric))
            told = self.ngb("plan", "study.yaml")
            self.assertEqual(told.returncode, 2, told.stdout + told.stderr)
            self.assertIn(reason, told.stderr)


class GatesByMetrics(NgbTest):
    """A gate over a study that is measured now, with a candidate that is worse by one metric."""

    def gate(self, worse, *arguments):
        study = STUDY.replace("memory_bytes: 120000000", worse).replace("label: large", "label: worse").replace(
            "baseline: large", "baseline: small").replace("metric: timed_peak_bytes:5%\n", "")
        self.write("study.yaml", study)
        return self.ngb("gate", "study.yaml", "--baseline", "small", "--candidate", "worse", "-o", "gate", *arguments)

    def test_fails_on_memory_after_three_rounds(self):
        told = self.gate("memory_bytes: 120000000", "--metric", "timed_peak_bytes:5%")
        self.assertEqual(told.returncode, 4, told.stdout + told.stderr)
        self.assertIn("1 worse", told.stdout)
        counts = self.query("gate", "SELECT count(*) FROM process")
        self.assertEqual(counts, [(6,)])

    def test_fails_on_compile_time(self):
        told = self.gate("compile_ns: 300000000", "--metric", "compile_total_s:50%")
        self.assertEqual(told.returncode, 4, told.stdout + told.stderr)
        self.assertIn("compile_total_s", told.stdout)

    def test_passes_on_the_metrics_that_are_the_same_and_fails_on_the_one_that_is_not(self):
        told = self.gate("memory_bytes: 120000000", "--metric", "timed_peak_bytes:5%", "--metric", "throughput_per_s:3%")
        self.assertEqual(told.returncode, 4, told.stdout + told.stderr)
        self.assertRegex(told.stdout, r"timed_peak_bytes\s+worse")
        self.assertNotRegex(told.stdout, r"throughput_per_s\s+slower")


if __name__ == "__main__":
    import unittest

    unittest.main()
