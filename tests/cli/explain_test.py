# SPDX-License-Identifier: Apache-2.0
"""ngb explain, on kernels that the null compiler makes up: what each of them takes is known."""

import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import unittest

from ngb_program import TOOLCHAINS, MeasuredTest, NgbTest, as_kept, kill, without_toolchains

# `left` has three kernels of 2, 1 and 1 ms. In `right` the first takes 3 ms, and the other two are one kernel of 2 ms behind a copy
# of 0.1 ms. `silent` tells nothing.
STUDY = """\
name: why
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - "null":
      label: left
      options: {made_up_ns: 4000000, kernels: "stem+blocks.0.conv*2,blocks.0.bn*1,blocks.0.act*1"}
  - "null":
      label: right
      options: {made_up_ns: 5100000, kernels: "stem+blocks.0.conv*30,~copy*1,blocks.0.bn+blocks.0.act*20"}
  - "null": {label: silent}
batch_sizes: [1]
reference: "null"
processes: 2
disturbance:
  max_wait_percent: 100
repetitions: 5
output: plain
"""

# onnxruntime itself writes a trace of the kernels into the worker's folder.
TRACED = """\
name: traced
models: [{{zoo: {{mha_block: {{embed: 32, depth: 1, sequence: 8}}}}}}]
compilers: [onnxruntime]
reference: none
profile: true
processes: 1
turns: 1
min_repetition_ms: 0
longer_look_s: 0
disturbance: {{max_wait_percent: 100}}
repetitions: {repetitions}
"""


class Explain(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY)
        made = self.ngb("explain", "study.yaml", "--baseline", "left", "--candidate", "right", "--rounds", "3", "-o", "profiles")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.write("explained.txt", made.stdout)

    def explain(self, *arguments):
        return self.ngb("explain", "profiles", "--baseline", "left", "--candidate", "right", *arguments)

    def refusal(self, code, *arguments):
        told = self.ngb("explain", *arguments)
        self.assertEqual(told.returncode, code, told.stdout + told.stderr)
        return told.stderr

    def test_says_which_regions_make_the_difference(self):
        told = json.loads(self.explain("--format", "json").stdout)
        rows = told["rows"]
        regions = [row for row in rows if row["kind"] == "region"]
        self.assertEqual([row["region"] for row in regions], ["stem+blocks.0.conv", "blocks.0.bn+act"])
        self.assertEqual([row["difference_ns"]["value"] for row in regions], [1_000_000, 100_000])
        self.assertEqual([row["cumulative_ns"] for row in regions], [1_000_000, 1_100_000])
        self.assertEqual([use["name"] for use in regions[1]["baseline_kernels"]], ["blocks.0.bn", "blocks.0.act"])
        self.assertEqual([use["name"] for use in regions[1]["candidate_kernels"]], ["copy", "blocks.0.bn+blocks.0.act"])
        everything = {row["kind"]: row["difference_ns"]["value"] for row in rows if row["kind"] != "region"}
        self.assertAlmostEqual(
            everything["plain time"],
            everything["all regions"] + everything["outside operators"] - everything["cost of profiling"], delta=1)
        self.assertEqual(told["pairs"][0]["rounds"], 3)

    def test_begins_with_a_sentence_and_ends_with_whether_it_is_explained(self):
        text = (self.folder / "explained.txt").read_text()
        self.assertEqual(text, self.explain().stdout, "a study's answer is that of its results")
        # The kernels are made up, the plain times are this machine's: on a busy one either side may be the faster.
        self.assertRegex(text, r"\A(right is \d.* (slower|faster) of |right and left are not told apart )")
        self.assertRegex(text, r"\n  (not )?explained: all regions together differ by 1\.100 ms")
        self.assertIn("4 nodes in 2 regions, the largest of 2 nodes; 3 rounds", text)

    def test_writes_the_rows_as_csv_and_markdown(self):
        rows = list(csv.DictReader(io.StringIO(self.explain("--format", "csv").stdout)))
        self.assertEqual(rows[0]["nodes"], "stem blocks.0.conv")
        self.assertEqual(float(rows[0]["difference_ns"]), 1_000_000)
        self.assertIn("| **blocks.0.bn+act** |", self.explain("--format", "markdown").stdout)

    def test_profiles_have_no_speed(self):
        shown = self.ngb("show", "profiles", "--json")
        cells = json.loads(shown.stdout)["cells"]
        self.assertEqual({cell["metrics"]["throughput_per_s"]["reason"] for cell in cells},
                         {"profiled: it has no speed, and `ngb explain` says where its time goes"})

    def test_the_same_command_continues_and_measures_nothing_twice(self):
        again = self.ngb("explain", "study.yaml", "--baseline", "left", "--candidate", "right", "--rounds", "3", "-o", "profiles")
        self.assertEqual(again.returncode, 0, again.stderr)
        with sqlite3.connect(self.folder / "profiles/results.db") as database:
            self.assertEqual(database.execute("SELECT count(*) FROM profile").fetchone(), (6,))
        database.close()

    def test_fusions_count_kernels_and_patterns(self):
        rows = {row["compiler"]: row for row in json.loads(self.ngb("explain", "profiles", "--fusions", "--json").stdout)["rows"]}
        self.assertEqual((rows["left"]["kernels"], rows["left"]["nodes"], rows["left"]["nodes_per_kernel"]), (3, 4, 4 / 3))
        self.assertEqual((rows["right"]["kernels"], rows["right"]["copies"], rows["right"]["copies_ns"]), (3, 1, 100_000))
        self.assertEqual(rows["left"]["patterns"], {"Conv+BatchNormalization+Relu": {"fused": 0, "there": 1}})
        self.assertEqual(rows["right"]["found_by"], {"node name": 4})

    def put_peak(self, threads):
        """Keeps a peak of 202.752 · 10^6 multiply-adds a second, so that the first region's 202 752 take 1 ms at the least."""
        (environment,), = self.query("profiles", "SELECT DISTINCT environment_hash FROM process")
        def rate(value):
            return {"value": value, "low": None, "high": None}
        peak = {"threads": threads, "compute_device": "cpu", "measured_unix_ns": 0, "compiler": "identity 1", "rounds": 5,
                "product": "mm 2048", "macs_per_s": rate(202_752_000), "copy_bytes_per_s": rate(1e12), "triad_bytes_per_s": rate(2e12)}
        (self.folder / "home/.cache/ngraphbench/calibrations").mkdir(parents=True, exist_ok=True)
        self.write(f"home/.cache/ngraphbench/calibrations/{environment}.json", as_kept(json.dumps(
            {"version": 1, "environment_hash": environment, "threads": [], "peaks": [peak]})))

    def test_regions_have_their_share_of_the_limit_that_was_measured_with_as_many_threads(self):
        self.put_peak(1)
        first = json.loads(self.explain("--format", "json").stdout)["rows"][0]
        # stem: 16 · 16 · 8 · 27, blocks.0.conv: 16 · 16 · 8 · 72
        self.assertEqual(first["macs"]["value"], 202_752)
        # weights and biases of both, the image of 3 channels, the 8 channels that leave; the 8 in between stay within
        self.assertEqual(first["least_bytes"]["value"], 4 * (8 * 27 + 8 + 8 * 72 + 8 + 3 * 256 + 8 * 256))
        self.assertAlmostEqual(first["baseline_limit_share"]["value"], 0.5)
        self.assertAlmostEqual(first["candidate_limit_share"]["value"], 1 / 3)
        # As text, wide intervals of a busy machine leave no room for this column.
        self.assertRegex(self.explain("--format", "markdown").stdout, r"stem\+blocks\.0\.conv.* 50, 33 ")
        cells = json.loads(self.ngb("explain", "profiles", "--fusions", "--json").stdout)["rows"]
        self.assertEqual([cell["macs"]["value"] for cell in cells], [202_752, 202_752])
        self.assertGreater(cells[0]["limit_share"]["value"], 0)
        self.put_peak(2)
        first = json.loads(self.explain("--format", "json").stdout)["rows"][0]
        self.assertIsNone(first["baseline_limit_share"]["value"])
        self.assertIn("run: ngb calibrate --peak --threads 1", first["baseline_limit_share"]["reason"])
        shutil.rmtree(self.folder / "home/.cache/ngraphbench/calibrations")

    def test_depth_has_a_row_for_each_depth_and_both_claims(self):
        told = json.loads(self.ngb("explain", "profiles", "--depth", "--json").stdout)
        self.assertEqual([(row["depth"], row["kernels"], row["fused_blocks"], row["blocks_to_fuse"]) for row in told["rows"]],
                         [(1, 3, 0, 1), (1, 3, 0, 1)])
        self.assertEqual([(row["claim"], row["status"]) for row in told["claims"]],
                         [("blocks_fuse_alone", "not_measured"), ("overhead_falls", "not_measured")])
        self.assertEqual(told["claims"][1]["reason"], "no stack of blocks was profiled at two depths")

    def test_a_trace_has_every_kernel(self):
        trace = json.loads(self.ngb("explain", "profiles", "--format", "trace").stdout)
        events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        self.assertEqual([(event["pid"], event["ts"], event["dur"]) for event in events],
                         [(1, 0, 2000), (1, 2000, 1000), (1, 3000, 1000), (2, 0, 3000), (2, 3000, 100), (2, 3100, 2000)])
        self.write("odd.yaml", STUDY.replace("conv*2,", "conv*2.0001234,").replace("bn*1,", "bn*1.0000077,"))
        self.assertEqual(self.ngb("explain", "odd.yaml", "--baseline", "left", "--candidate", "right", "-o", "odd").returncode, 0)
        odd = [event for event in json.loads(self.ngb("explain", "odd", "--format", "trace").stdout)["traceEvents"] if event["ph"] == "X"]
        for event, after in zip(odd, odd[1:]):
            if after["pid"] == event["pid"]:  # a viewer would show a call that begins earlier as part of the one before
                self.assertEqual(event["ts"] + event["dur"], after["ts"])

    def test_a_gate_that_fails_ends_on_request_with_the_regions_that_made_it_fail(self):
        slow = STUDY.replace("processes: 2", "processes: 5").replace("made_up_ns: 5100000", "made_up_ns: 10200000")
        self.write("gated.yaml", slow)
        sides = ("--baseline", "left", "--candidate", "right")
        told = self.ngb("gate", "gated.yaml", *sides, "--explain")
        self.assertEqual(told.returncode, 4, told.stdout + told.stderr)
        gate, explained = told.stdout.split("Gate failed: 1 slower by more than 3 %", 1)
        self.assertRegex(explained, r"right is .* slower of .*: 4\.000 ms of it in stem\+blocks\.0\.conv, 2\.200 ms in blocks\.0\.bn\+act")
        of_results = self.ngb("gate", "plain", *sides, "--explain")
        self.assertEqual(of_results.returncode, 2)
        self.assertIn("--explain profiles a study, and these are results", of_results.stderr)

    def test_refuses_results_without_profiles_and_says_what_to_type(self):
        self.assertEqual(self.ngb("run", "study.yaml").returncode, 0)
        self.assertRegex(self.refusal(3, "plain", "--baseline", "left", "--candidate", "right"),
                         "no profiles: processes that are timed for a speed are never profiled; .*ngb explain STUDY")

    def test_refuses_a_compiler_that_tells_no_kernels_with_its_reason(self):
        told = self.refusal(3, "study.yaml", "--baseline", "left", "--candidate", "silent", "--rounds", "1")
        self.assertIn("no pair is explained: silent has no profile: no_profile in timed: ", told)

    def test_refuses_sides_that_do_not_exist_or_are_not_given(self):
        self.assertRegex(self.refusal(2, "profiles", "--baseline", "left", "--candidate", "lft"),
                         'no cell with the compiler "lft"; expected one of: ')
        self.assertIn("which two sides?", self.refusal(2, "profiles"))
        self.assertIn("need each other", self.refusal(2, "profiles", "--baseline", "left"))
        self.assertIn("a study is profiled for two compilers", self.refusal(2, "study.yaml", "--baseline", "left"))

    def test_refuses_sides_without_a_common_model(self):
        for label, width in (("left", 8), ("right", 16)):
            head, *sides, last = STUDY.replace("width: 8", f"width: {width}").split('  - "null":')
            side, = (each for each in sides if f"label: {label}" in each)
            settings = last.split("\n", 1)[1].replace("output: plain", f"profile: true\noutput: {label}_alone")
            self.write(f"{label}.yaml", f'{head}  - "null":{side}{settings}')
            self.assertEqual(self.ngb("run", f"{label}.yaml").returncode, 0)
        self.assertIn("the sides have no common model (conv_block width=8 depth=1 image_size=16 and conv_block width=16 depth=1 "
                      "image_size=16)",
                      self.refusal(3, "left_alone", "right_alone", "--baseline", "left", "--candidate", "right"))

    def test_a_study_of_profiles_excludes_what_has_none(self):
        self.write("bad.yaml", STUDY + "profile: true\ninstances: 2\n")
        planned = self.ngb("plan", "bad.yaml")
        self.assertEqual(planned.returncode, 2)
        self.assertIn("one of several instances has no profile; remove instances or profile", planned.stderr)


class Interrupted(NgbTest):
    """Profiles whose run ends before they do."""

    def profile_args(self, output, rounds):
        return ("explain", "study.yaml", "--baseline", "left", "--candidate", "right", "--rounds", rounds, "-o", output)

    def assert_is_whole(self, output, rounds):
        again = self.ngb(*self.profile_args(output, rounds))
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.query(output, "SELECT count(*), count(DISTINCT cell_key || '/' || process_index) FROM process "
                                            "JOIN profile USING (process_key) WHERE is_complete = 1"),
                         [(2 * rounds, 2 * rounds)])

    def test_a_killed_one_resumes_and_profiles_nothing_twice(self):
        self.write("study.yaml", STUDY)
        run = self.start(*self.profile_args("killed", "6"))
        agent = self.wait_for(lambda: self.children_of(run.pid))[0]
        self.wait_for(lambda: (self.folder / "killed/results.db").exists() and
                      self.query("killed", "SELECT count(*) FROM process")[0][0] >= 2)
        kill(agent)
        run.stdout.read()
        run.wait(300)
        before = self.query("killed", "SELECT process_key, started_unix_ns FROM process WHERE is_complete = 1")
        self.assert_is_whole("killed", 6)
        after = self.query("killed", "SELECT process_key, started_unix_ns FROM process WHERE is_complete = 1")
        self.assertEqual(after[:len(before)], before)

    def small_disk(self, size):
        """Returns a folder on a tmpfs of its own."""
        if os.geteuid() != 0:
            self.skipTest("mounting a small tmpfs needs root")
        small = self.folder / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", small]).returncode != 0:
            self.skipTest("tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", small])
        return small

    def test_a_full_disk_keeps_what_was_profiled(self):
        small = self.small_disk("360k")
        study = STUDY.replace("000,", "0,").replace("repetitions: 5", "repetitions: 1000\nmin_repetition_ms: 0")
        self.write("study.yaml", study)
        run = self.ngb(*self.profile_args(small / "r", 12))
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertRegex(run.stderr, "o space left")
        subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
        self.assert_is_whole(small / "r", 12)

    def test_a_disk_that_fills_within_onnxruntimes_own_trace_is_a_failure_with_its_reason(self):
        why_not = without_toolchains("onnxruntime")
        if why_not:
            self.skipTest(why_not)
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        small = self.small_disk("8m")
        # 20 kernels a block in 4000 inferences are 80,000 events of 200 bytes or more: 16 MB. The next study's trace has a
        # hundredth of that.
        self.write("study.yaml", TRACED.format(repetitions=4000))
        self.assertEqual(self.ngb("run", "study.yaml", "-o", small / "r").returncode, 1)
        self.assertEqual(self.query(small / "r", "SELECT DISTINCT kind, phase, message, advice FROM failure"),
                         [("compiler_failed", "timed", "onnxruntime's profile is not whole", "see whether the disk is full")])
        self.write("study.yaml", TRACED.format(repetitions=40))
        self.assertEqual(self.ngb("run", "study.yaml", "-o", small / "s").returncode, 0)


if __name__ == "__main__":
    unittest.main()
