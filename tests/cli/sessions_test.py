# SPDX-License-Identifier: Apache-2.0
"""What starts cost, cold and warm, and what sessions leave behind. The null compiler waits and keeps memory in truth; only
the times of its inferences are made up."""

from ngb_program import MeasuredTest

STUDY = """\
name: sessions
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - "null": {label: tight, options: {made_up_ns: 2000000}}
  - "null": {label: leaking, options: {made_up_ns: 2000000, session_leak_bytes: 1000000}}
  - "null": {label: slow to load, options: {made_up_ns: 2000000, load_ns: 50000000}}
reference: none
processes: 4
repetitions: 5
warm_up: 1
longer_look_s: 0
compile: once
sessions: 50
disturbance: {max_wait_percent: 100}
output: results
"""


class Sessions(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY)
        ran = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def metric(self, label, name):
        cell = next(each for each in self.show("results")["cells"] if each["compiler_label"] == label)
        return cell["metrics"][name]

    def test_that_keep_a_megabyte_each_are_found_with_an_interval_above_0(self):
        kept = self.metric("leaking", "session_memory_bytes")
        self.assertGreater(kept["low"], 900_000)
        self.assertLess(kept["high"], 1_100_000)

    def test_that_keep_nothing_keep_less_than_what_is_told(self):
        for label in ("tight", "slow to load"):
            with self.subTest(label):
                self.assertLess(abs(self.metric(label, "session_memory_bytes")["value"]), 100_000)

    def test_take_what_loading_takes(self):
        self.assertGreater(self.metric("slow to load", "session_s")["value"], 0.05)
        self.assertLess(self.metric("tight", "session_s")["value"], 0.05)
        self.assertEqual(self.query("results", "SELECT COUNT(*) FROM reading WHERE quantity = 'session'"), [(600,)])

    def test_fail_a_gate_if_they_begin_to_keep_memory(self):
        told = self.ngb("gate", "results", "--baseline", "tight", "--candidate", "leaking", "--metric", "session_memory_bytes")
        self.assertEqual(told.returncode, 4, told.stdout + told.stderr)

    def test_a_made_up_cost_of_loading_shows_in_load_and_not_in_the_speed(self):
        for label, least, most in (("tight", 0, 0.045), ("slow to load", 0.05, 0.2)):
            with self.subTest(label):
                self.assertTrue(least <= self.metric(label, "load_s")["value"] < most)
                self.assertAlmostEqual(self.metric(label, "throughput_per_s")["value"], 500, delta=5)

    def test_cold_and_warm_starts_are_of_the_processes_that_compiled_and_that_loaded(self):
        phases = self.query("results", "SELECT phase, COUNT(*) FROM phase WHERE phase IN ('compile', 'load') GROUP BY phase")
        self.assertEqual(phases, [("compile", 3), ("load", 9)])
        for label in ("tight", "slow to load"):
            warm = self.metric(label, "warm_start_s")["value"]
            self.assertGreater(warm, self.metric(label, "load_s")["value"])
            self.assertGreater(self.metric(label, "cold_start_s")["value"], 0)
