# SPDX-License-Identifier: Apache-2.0
"""ngb compare, on results of the null compiler, whose speed the study sets."""

import csv
import io
import json
import shutil
import sqlite3

from ngb_program import MeasuredTest

STUDY = """\
name: speeds
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - "null": {options: {made_up_ns: [1000000, 20000000]}}
batch_sizes: [1, 2]
reference: none
processes: 3
disturbance:
  max_wait_percent: 100
repetitions: 5
protocol: paper
output: results
"""
SIDES = ("--by", "options", "--baseline", "made_up_ns=1000000", "--candidate", "made_up_ns=20000000")


class Compare(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY)
        run = self.ngb("run", "study.yaml")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_says_in_its_first_line_how_many_cells_are_slower(self):
        told = self.ngb("compare", "results", *SIDES)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(told.stdout.splitlines()[0], "2 slower")

    def test_gives_ratio_interval_and_verdict_of_each_pair_as_json(self):
        told = json.loads(self.ngb("compare", "results", *SIDES, "--json").stdout)
        self.assertEqual(told["axis"], "options")
        for pair in told["pairs"]:
            self.assertEqual(pair["verdict"], "slower")
            self.assertTrue(pair["is_paired"])
            self.assertAlmostEqual(pair["ratio"]["value"], 1 / 20, delta=0.001)
            self.assertLess(pair["ratio"]["low"], pair["ratio"]["value"])

    def test_of_a_folder_and_its_copy_finds_no_difference_and_repeats_its_output(self):
        shutil.copytree(self.folder / "results", self.folder / "copy")
        first = self.ngb("compare", "results", "copy", "--json").stdout
        verdicts = {pair["verdict"] for pair in json.loads(first)["pairs"]}
        self.assertLessEqual(verdicts, {"same", "undecided"})
        self.assertEqual(first, self.ngb("compare", "results", "copy", "--json").stdout)

    def test_of_two_runs_that_differ_together_with_their_page_faults_names_these(self):
        for name, times, faults in (("quick", 1, 0), ("slow", 1.5, 200)):
            shutil.copytree(self.folder / "results", self.folder / name)
            with sqlite3.connect(self.folder / name / "results.db") as database:
                database.execute("UPDATE process SET started_unix_ns = started_unix_ns + ?", (faults + 1,))
                database.execute("""
                    UPDATE repetition SET wall_ns = CAST(? * inferences * (1000000 + 1000 * (process_key % 3)) AS INTEGER)""", (times,))
                database.execute("""
                    UPDATE reading SET value = ? * 1e9 / (SELECT wall_ns FROM phase WHERE phase = 'timed' AND
                        phase.process_key = reading.process_key) * (SELECT value FROM reading AS counted WHERE
                        counted.process_key = reading.process_key AND quantity = 'inferences' AND moment = 'timed')
                    WHERE quantity = 'page_faults'""", (faults,))
        told = json.loads(self.ngb("compare", "quick", "slow", "--json").stdout)
        for pair in told["pairs"]:  # flags follow
            self.assertTrue(pair["reason"].startswith(
                "slower although both sides are the same build: the C library's allocator returned memory to the kernel (200 "
                "page faults an inference, 0 on the faster side); `allocator: steady` removes that"), pair["reason"])

    def test_of_two_runs_of_one_build_tells_the_noise_of_the_device(self):
        again = self.ngb("run", "study.yaml", "-o", "again")
        self.assertEqual(again.returncode, 0, again.stderr)
        told = self.ngb("compare", "results", "again")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(told.stdout.splitlines()[0], "4 same build")
        self.assertIn("Noise of local (cpu): 4 pairs of the same build; |ratio - 1| is ", told.stdout)

    def test_of_a_compiler_that_is_listed_twice_tells_the_noise_of_the_same_rounds(self):
        self.write("twice.yaml", STUDY.replace('"null": {options: {made_up_ns: [1000000, 20000000]}}',
                                               '"null": {label: left}\n  - "null": {label: right}').replace("results", "twice"))
        run = self.ngb("run", "twice.yaml")
        self.assertEqual(run.returncode, 0, run.stderr)
        told = self.ngb("compare", "twice", "--by", "compiler", "--baseline", "left", "--candidate", "right")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(told.stdout.splitlines()[0], "2 same build")
        self.assertIn("Noise of local (cpu): 2 pairs of the same build; |ratio - 1| is ", told.stdout)

    def test_of_a_copy_tells_no_noise(self):
        shutil.copytree(self.folder / "results", self.folder / "copy")
        self.assertEqual(json.loads(self.ngb("compare", "results", "copy", "--json").stdout)["noise"], [])

    def test_prints_every_format(self):
        for format, first in (("text", "2 slower"), ("markdown", "2 slower"), ("github", "2 slower")):
            told = self.ngb("compare", "results", *SIDES, "--format", format)
            self.assertEqual(told.stdout.splitlines()[0], first, told.stderr)
        rows = list(csv.DictReader(io.StringIO(self.ngb("compare", "results", *SIDES, "--format", "csv").stdout)))
        self.assertEqual([row["outcome"] for row in rows], ["slower", "slower"])
        self.assertLess(float(rows[0]["ratio"]), float(rows[1]["ratio"]))
        told = self.ngb("compare", "results", *SIDES, "--format", "githup")
        self.assertEqual(told.returncode, 2)
        self.assertIn("did you mean github?", told.stderr)

    def test_without_an_axis_takes_two_names_for_compilers(self):
        told = self.ngb("compare", "results", "--baseline", "null", "--candidate", "onnxruntime")
        self.assertEqual(told.returncode, 2)
        self.assertIn('no cell with the compiler "onnxruntime"', told.stderr)

    def test_names_the_values_on_the_axis(self):
        told = self.ngb("compare", "results", "--by", "options", "--baseline", "made_up_ns=7", "--candidate", "made_up_ns=20000000")
        self.assertEqual(told.returncode, 2)
        self.assertIn('no cell with the options "made_up_ns=7"', told.stderr)
        self.assertIn("made_up_ns=1000000", told.stderr)

    def test_of_one_folder_without_an_axis_says_what_to_type(self):
        told = self.ngb("compare", "results")
        self.assertEqual(told.returncode, 2)
        self.assertIn("--baseline identity --candidate onnxruntime", told.stderr)

    def test_by_an_unknown_axis_names_the_axes(self):
        told = self.ngb("compare", "results", "results", "--by", "colour")
        self.assertEqual(told.returncode, 2)
        self.assertIn("compiler, version, options, device, compute_device, threads, precision, load, model", told.stderr)
