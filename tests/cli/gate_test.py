# SPDX-License-Identifier: Apache-2.0
"""ngb gate, on results of the null compiler whose times are then set by hand."""

import json
import shutil
import sqlite3

from ngb_program import MeasuredTest, NgbTest

STUDY = """\
name: gate
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - "null": {options: {memory_bytes: [1000, 2000]}}
  - "null": {options: {fault: [crash, wrong_output]}}
batch_sizes: [1, 2]
reference: "null"
processes: 3
disturbance:
  max_wait_percent: 100
repetitions: 5
output: results
"""
SIDES = ("--by", "options", "--baseline", "memory_bytes=1000", "--candidate")
OTHER = (*SIDES, "memory_bytes=2000")
# Milliseconds of each process. SLOWER takes 5 % longer, and its ratios vary by about 0.1 %.
BASELINE = (10.0, 10.4, 9.8)
SLOWER = (10.50, 10.93, 10.28)
NOISY = (9.0, 12.5, 10.0)


class Gate(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY)
        run = self.ngb("run", "study.yaml")
        self.assertEqual(run.returncode, 1, run.stderr)  # two cells fail on purpose

    def setUp(self):
        super().setUp()
        self.set_times("results", "1000", BASELINE)
        self.set_times("results", "2000", SLOWER)

    def change(self, results, sql, *values):
        with sqlite3.connect(self.folder / results / "results.db") as database:
            database.execute(sql, values)
        database.close()

    def set_times(self, results, memory_bytes, times_ms):
        """Sets each repetition of a compiler's processes to that process's time."""
        for index, time_ms in enumerate(times_ms):
            self.change(
                results,
                "UPDATE repetition SET wall_ns = ?, inferences = 1 WHERE process_key IN (SELECT process_key FROM "
                "process JOIN cell USING (cell_key) WHERE options_json LIKE ? AND process_index = ?)",
                round(time_ms * 1e6), f'%"memory_bytes":{memory_bytes}%', index)

    def gate(self, *arguments):
        return self.ngb("gate", "results", *arguments)

    def test_fails_with_4_if_a_cell_is_slower_by_more_than_the_threshold(self):
        told = self.gate(*OTHER)
        self.assertEqual(told.returncode, 4, told.stderr)
        self.assertEqual(told.stdout.splitlines()[0], "2 slower")
        self.assertIn("Gate failed: 2 slower by more than 3 %", told.stdout)

    def test_passes_if_the_threshold_is_higher(self):
        told = self.gate(*OTHER, "--fail-if-slower", "6%")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("Gate passed: 2 slower by at most 6 %", told.stdout)

    def test_is_undecided_with_5_only_if_that_is_asked_to_fail(self):
        self.set_times("results", "2000", NOISY)
        told = self.gate(*OTHER)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(told.stdout.splitlines()[0], "2 undecided")
        self.assertIn(" more rounds, ", told.stdout)
        self.assertIn("Gate undecided: nothing is decided: 2 undecided or without a measurement", told.stdout)
        self.assertEqual(self.gate(*OTHER, "--fail-if-undecided").returncode, 5)

    def test_fails_with_4_on_a_candidate_that_newly_fails_or_is_newly_inaccurate(self):
        crash = self.gate(*SIDES, "fault=crash")
        self.assertEqual(crash.returncode, 4, crash.stderr)
        self.assertEqual(crash.stdout.splitlines()[0], "2 failed")
        wrong = self.gate(*SIDES, "fault=wrong_output")
        self.assertEqual(wrong.returncode, 4, wrong.stderr)
        self.assertEqual(wrong.stdout.splitlines()[0], "2 inaccurate")

    def test_by_memory_fails_beyond_its_margin_and_passes_within_it(self):
        # What a process holds in its timed phase, set by hand: 50 MB and 55 MB, which vary by 0.1 %.
        for memory_bytes, peaks in ((1000, (50_000_000, 50_050_000, 49_950_000)), (2000, (55_000_000, 55_050_000, 54_950_000))):
            for index, peak in enumerate(peaks):
                self.change("results", "UPDATE phase SET peak_rss_bytes = ? WHERE phase = 'timed' AND process_key IN (SELECT process_key FROM "
                                       "process JOIN cell USING (cell_key) WHERE options_json LIKE ? AND process_index = ?)",
                            peak, f'%"memory_bytes":{memory_bytes}%', index)
        self.set_times("results", "2000", (10.01, 10.39, 9.81))  # the same within 0.1 %
        fails = self.gate(*OTHER, "--metric", "timed_peak_bytes:5%", "--metric", "throughput_per_s")
        self.assertEqual(fails.returncode, 4, fails.stderr)
        self.assertEqual(fails.stdout.splitlines()[0], "2 worse, 2 same")
        self.assertRegex(fails.stdout, r"timed_peak_bytes\s+worse +1\.10 \[1\.10, 1\.10\] +50 MB +55 MB")
        self.assertIn("Gate failed: 2 worse by more than the margin of another metric", fails.stdout)
        passes = self.gate(*OTHER, "--metric", "timed_peak_bytes:20%")
        self.assertEqual(passes.returncode, 0, passes.stderr)
        self.assertIn("Gate passed: 2 worse by at most the margin of another metric", passes.stdout)

    def test_by_a_metric_that_cannot_be_judged_is_refused_with_those_that_can(self):
        for given, reason in {"rtr_ratio": "no verdict can be made of rtr_ratio", "timed_peak_byte": "did you mean timed_peak_bytes",
                              "compile_s:much": '"much" is no share'}.items():
            told = self.gate(*OTHER, "--metric", given)
            self.assertEqual(told.returncode, 2)
            self.assertIn(reason, told.stderr)
        twice = self.gate(*OTHER, "--metric", "compile_s:5%", "--metric", "compile_s:9%")
        self.assertIn("the metric is given twice", twice.stderr)
        for given, reason in {"compile_s:5": 'the margin "5" has no unit', "timed_peak_bytes:5MB": '"5MB" is no share',
                              "agreement_ratio": "no model is a variant"}.items():
            told = self.gate(*OTHER, "--metric", given)
            self.assertIn(told.returncode, (2, 3))
            self.assertIn(reason, told.stderr)

    def test_has_one_limit_of_the_speed(self):
        passes = self.gate(*OTHER, "--metric", "throughput_per_s:6%")
        self.assertEqual(passes.returncode, 0, passes.stdout + passes.stderr)
        two = self.gate(*OTHER, "--metric", "throughput_per_s:6%", "--fail-if-slower", "3%")
        self.assertEqual(two.returncode, 2)
        self.assertIn("two limits of the speed: --metric throughput_per_s:6% and --fail-if-slower 3%; give one of them", two.stderr)

    def test_by_a_metric_that_no_cell_has_judges_nothing(self):
        told = self.gate(*OTHER, "--metric", "gpu_energy_per_inference_j")
        self.assertEqual(told.returncode, 3)
        self.assertEqual(told.stdout.splitlines()[0], "2 no verdict")
        self.assertIn("no pair can be judged", told.stderr)

    def test_refuses_to_judge_against_a_baseline_that_failed_everywhere(self):
        told = self.gate("--by", "options", "--baseline", "fault=crash", "--candidate", "memory_bytes=1000")
        self.assertEqual(told.returncode, 3)
        self.assertEqual(told.stdout.splitlines()[0], "2 measured now")
        self.assertIn("baseline: crash", told.stdout)
        self.assertIn("no pair can be judged", told.stderr)

    def test_of_one_round_is_undecided_and_says_how_many_more_it_needs(self):
        self.change("results", "UPDATE process SET is_complete = 0 WHERE process_index > 0")
        self.change("results", "DELETE FROM repetition WHERE process_key IN (SELECT process_key FROM process WHERE "
                               "process_index > 0)")
        for table in ("phase", "output_check", "reading", "fact", "failure"):
            self.change("results", f"DELETE FROM {table} WHERE process_key IN (SELECT process_key FROM process WHERE "
                                   "process_index > 0)")
        self.change("results", "DELETE FROM process WHERE process_index > 0")
        told = self.gate(*OTHER, "--fail-if-undecided", "--json")
        self.assertEqual(told.returncode, 5, told.stderr)
        for pair in json.loads(told.stdout)["pairs"]:
            self.assertIn("fewer than 3 rounds hold both sides: at least 2 more rounds", pair["reason"])

    def test_of_data_without_variation_is_undecided(self):
        self.set_times("results", "1000", (10, 10, 10))
        self.set_times("results", "2000", (11, 11, 11))
        told = self.gate(*OTHER, "--fail-if-undecided", "--json")
        self.assertEqual(told.returncode, 5, told.stderr)
        self.assertIn("no variation seen", json.loads(told.stdout)["pairs"][0]["reason"])

    def test_of_two_folders_refuses_other_protocols_unless_asked(self):
        shutil.copytree(self.folder / "results", self.folder / "other")
        self.change("other", "UPDATE protocol SET value = '7' WHERE key = 'repetitions'")
        self.change("other", "UPDATE protocol SET value = '9' WHERE key = 'processes'")  # may differ
        told = self.ngb("gate", "results", "other")
        self.assertEqual(told.returncode, 3)
        self.assertIn("different protocols: repetitions: 5 and 7;", told.stderr)
        self.assertEqual(self.ngb("gate", "results", "other", "--across-protocols").returncode, 0)

    def test_of_two_folders_refuses_another_machine_unless_asked(self):
        shutil.copytree(self.folder / "results", self.folder / "other")
        self.change("other", "UPDATE environment_entry SET value = 'another processor' WHERE name = 'cpu_model'")
        self.change("other", "UPDATE environment SET environment_hash = ?", "f" * 64)
        self.change("other", "UPDATE process SET environment_hash = ?", "f" * 64)
        told = self.ngb("gate", "results", "other")
        self.assertEqual(told.returncode, 3)
        self.assertIn("local was not the same on both sides: cpu_model: ", told.stderr)
        self.assertIn("and another processor", told.stderr)
        self.assertEqual(self.ngb("gate", "results", "other", "--across-environments").returncode, 0)

    def test_of_two_folders_without_a_common_cell_names_what_they_do_not_share(self):
        shutil.copytree(self.folder / "results", self.folder / "other")
        self.change("other", "UPDATE model SET batch = batch * 100")
        told = self.ngb("gate", "results", "other")
        self.assertEqual(told.returncode, 3)
        self.assertIn("no common batch size (1 and 100)", told.stderr)

    def test_counts_a_cell_of_the_baseline_without_a_partner_as_undecided(self):
        shutil.copytree(self.folder / "results", self.folder / "other")
        self.change("other", "UPDATE model SET batch = 100 WHERE batch = 2")
        told = self.ngb("gate", "results", "other", "--fail-if-undecided")
        self.assertEqual(told.returncode, 5, told.stderr)
        self.assertIn("Without a partner: 4 cells of the baseline, 4 of the candidate", told.stdout)

    def test_for_github_prints_the_summary_on_stdout_and_annotations_on_stderr(self):
        told = self.gate(*OTHER, "--format", "github")
        self.assertEqual(told.returncode, 4)
        self.assertEqual(told.stdout.splitlines()[0], "2 slower")
        self.assertIn("| **slower** | 0.95 [", told.stdout)
        self.assertEqual([line[:24] for line in told.stderr.splitlines()], ["::error title=ngb gate::"] * 2)

    def test_shows_that_it_can_fail(self):
        self.set_times("results", "2000", NOISY)
        told = self.gate(*OTHER, "--self-test", "--json")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(json.loads(told.stdout)["gate"]["self_test"], {"found": 2, "slowed": 2})
        self.assertIn("is found in 2 of 2 pairs", self.gate(*OTHER, "--self-test").stdout)

    def test_that_cannot_fail_does_not_pass_its_self_test(self):
        self.set_times("results", "1000", (10, 10, 10))
        self.set_times("results", "2000", (10, 10, 10))
        told = self.gate(*OTHER, "--self-test")
        self.assertEqual(told.returncode, 3)
        self.assertIn("the gate cannot fail", told.stderr)

    def test_refuses_a_threshold_that_is_no_share(self):
        told = self.gate(*OTHER, "--fail-if-slower", "three")
        self.assertEqual(told.returncode, 2)
        self.assertIn("expected 0% to 1000%", told.stderr)

    def test_gives_the_same_verdicts_bit_for_bit(self):
        first = self.gate(*OTHER, "--json").stdout
        self.assertEqual(json.loads(first)["rules"]["adjustment"], "holm")
        self.assertEqual(first, self.gate(*OTHER, "--json").stdout)
        self.change("results", "VACUUM")
        self.assertEqual(first, self.gate(*OTHER, "--json").stdout)


class GateOfAStudy(NgbTest):
    STUDY = """\
name: sides
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - "null": {label: quick, options: {made_up_ns: 1000000}}
  - "null": {label: slow, options: {made_up_ns: 3000000}}
  - "null": {label: other}
reference: none
processes: 3
disturbance:
  max_wait_percent: 100
repetitions: 5
"""

    def setUp(self):
        super().setUp()
        self.write("study.yaml", self.STUDY)

    def gate(self, *arguments):
        return self.ngb("gate", "study.yaml", *arguments)

    def test_measures_only_the_two_sides_in_the_same_rounds_and_judges_them(self):
        told = self.gate("--baseline", "quick", "--candidate", "slow", "--json", "--output", "gate")
        self.assertEqual(told.returncode, 4, told.stderr)
        pair, = json.loads(told.stdout)["pairs"]
        self.assertEqual(pair["outcome"], "slower")
        self.assertTrue(pair["is_paired"])
        self.assertEqual(self.query("gate", "SELECT compiler_label FROM cell ORDER BY 1"), [("quick",), ("slow",)])
        self.assertFalse((self.folder / "results").exists(), "the study's own results are not touched")

    def turns_of(self, folder):
        return dict(self.query(folder, "SELECT key, value FROM protocol")).get("turns", "1")

    def test_measures_in_turns_unless_asked_otherwise_or_something_excludes_them(self):
        sides = "--baseline", "quick", "--candidate", "slow", "--output"
        self.assertEqual(self.gate(*sides, "usual").returncode, 4)
        self.assertEqual(self.turns_of("usual"), "20")
        self.assertEqual(self.gate("--turns", "1", *sides, "alone").returncode, 4)
        self.assertEqual(self.turns_of("alone"), "1")
        self.write("study.yaml", self.STUDY + "turns: 3\n")
        self.assertEqual(self.gate(*sides, "own").returncode, 4)
        self.assertEqual(self.turns_of("own"), "3")
        self.write("study.yaml", self.STUDY + "loads: [{cpu: 10%}]\n")
        self.assertEqual(self.gate(*sides, "loaded").returncode, 4)
        self.assertEqual(self.turns_of("loaded"), "1")

    def test_does_not_need_the_studys_own_baseline(self):
        self.write("study.yaml", self.STUDY + "baseline: other\n")
        told = self.gate("--baseline", "quick", "--candidate", "slow")
        self.assertEqual(told.returncode, 4, told.stderr)

    def test_measures_anew_each_time_into_a_folder_that_it_names(self):
        told = self.gate("--baseline", "slow", "--candidate", "quick")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(told.stdout.splitlines()[0], "1 faster")
        folder, = (self.folder / "results/sides-gate").iterdir()
        self.assertIn(f"ngb: results: {folder}", told.stderr)

    def test_refuses_a_side_that_the_study_has_several_times(self):
        told = self.gate("--baseline", "quick", "--candidate", "null")
        self.assertEqual(told.returncode, 2)
        self.assertIn('several compilers that "null" can mean', told.stderr)
        self.assertIn('name one by its label: "quick", "slow", "other"', told.stderr)

    def test_refuses_one_side_as_both(self):
        told = self.gate("--baseline", "quick", "--candidate", "quick")
        self.assertEqual(told.returncode, 2)
        self.assertIn("both sides are the same compiler", told.stderr)

    def test_needs_both_sides(self):
        told = self.gate("--baseline", "quick")
        self.assertEqual(told.returncode, 2)
        self.assertIn("--baseline onnxruntime@1.30.0 --candidate onnxruntime@1.31.1", told.stderr)

    def test_with_a_missing_toolchain_measures_nothing_and_says_what_to_type(self):
        told = self.gate("--baseline", "quick", "--candidate", "onnxruntime@1.30.0")
        self.assertEqual(told.returncode, 3)
        self.assertIn("ngb toolchain install onnxruntime@1.30.0", told.stderr)
