# SPDX-License-Identifier: Apache-2.0
"""ngb calibrate, with the null compiler, whose inferences take a fixed time. It measures how quiet the machine is, so
nothing else may run beside it; what does not is in calibrations_test.py."""

import json
import re
import shutil
import stat
import subprocess
import unittest

from calibrations_test import STUDY
from ngb_program import TOOLCHAINS, MeasuredTest, NgbTest, without_toolchains

ASKED = ("calibrate", "--threads", "1", "--format", "json", "-o", "equal")


class Calibrate(MeasuredTest):
    def measure(self):
        """Tries only the shortest durations, with which a calibration into the same folder continues."""
        self.too_short = self.ngb(*ASKED, "--time", "1s")

    def calibrations(self):
        return list(self.folder.glob("home/.cache/ngraphbench/calibrations/*.json"))

    def needed_s(self, too_short):
        """Returns how much time a calibration needs, as it says if it was given too little."""
        self.assertEqual(too_short.returncode, 2, too_short.stdout)
        told = re.search(r"--time: the time is too short: 1\.0 s for a number of threads, and 5 rounds of the fastest cells "
                         r"need (?:(\d+) min )?([\d.]+) s", too_short.stderr)
        self.assertTrue(told, too_short.stderr)
        return 60 * int(told[1] or 0) + float(told[2])

    def calibrate(self, seconds, trial, *arguments):
        """Calibrates in so many seconds, after a trial; returns what is told."""
        begun = self.query(trial, "SELECT process_key, started_unix_ns FROM process")
        for _ in range(4):
            told = self.ngb(*ASKED, *arguments, "--time", f"{seconds:.1f}s")
            if told.returncode != 3:
                break
            self.assertIn("no cell has three rounds that other programs left undisturbed", told.stderr)
            self.assertEqual(self.calibrations(), [])  # an earlier calibration is not replaced by nothing
            shutil.rmtree(self.folder / trial.replace("trial/1", "measured"))
        else:
            self.skipTest("other programs disturb this machine all the time")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(self.query(trial, "SELECT process_key, started_unix_ns FROM process"), begun, "not measured again")
        return told

    def test_says_how_much_time_five_rounds_need(self):
        (models, duration_s), = self.query("equal/1-threads-20-turns-trial/1", "SELECT count(*), sum(wall_ns) / 1e9 FROM process")
        self.assertEqual(models, 3)
        # After the trial, two sides of the same in five rounds, and what else a run takes.
        needed_s = duration_s + 5 * 2 * 1.15 * duration_s
        self.assertAlmostEqual(self.needed_s(self.measured.too_short), needed_s, delta=0.6)
        self.assertEqual(self.calibrations(), [])

    def test_does_not_try_what_there_is_no_time_for(self):
        self.assertEqual([each.name for each in (self.folder / "equal/1-threads-20-turns-trial").iterdir()], ["1"])
        self.assertNotIn("left out", self.measured.too_short.stderr)

    def test_measures_and_keeps_a_file_for_this_environment(self):
        told = self.calibrate(self.needed_s(self.measured.too_short) + 0.1, "equal/1-threads-20-turns-trial/1")
        self.assertIn("onnxruntime is not installed: the null compiler's loop of a fixed duration is measured instead",
                      told.stderr)
        self.assertIn("ngb: 2 of 3 durations are left out: there is no time for them", told.stderr)
        of_one_thread, = json.loads(told.stdout)["threads"]
        self.assertEqual(of_one_thread["compiler"], "null")
        self.assertGreaterEqual(len(of_one_thread["measured"]), 3)  # a millisecond each, at least
        # Where other programs disturbed every round of a cell, it has no time.
        times_s = [each["inference_s"] for each in of_one_thread["measured"] if each["inference_s"] is not None]
        self.assertAlmostEqual(min(times_s), 0.001, delta=0.001)
        self.assertEqual([each["rounds"] for each in of_one_thread["smallest_difference"]], [5, 15])
        kept, = self.calibrations()
        self.assertEqual(stat.S_IMODE(kept.stat().st_mode) & (stat.S_IWGRP | stat.S_IWOTH), 0)
        self.write("study.yaml", STUDY.replace("THREADS", "1").replace("protocol: paper", "turns: 20"))
        self.assertIn("1 thread in 20 turns: with 5 rounds, differences of about ", self.ngb("plan", "study.yaml").stdout)

    def test_measures_both_sides_in_turns(self):
        turns = ("--turns", "4", "--compiler", "null")
        needed_s = self.needed_s(self.ngb(*ASKED, *turns, "--time", "1s"))
        told = self.calibrate(needed_s + 0.1, "equal/1-threads-4-turns-trial/1", *turns)
        measured, = json.loads(told.stdout)["threads"]
        self.assertEqual(measured["turns"], 4)
        self.assertGreaterEqual(len(measured["measured"][0]["differences"]), 3)
        (turns,), = self.query("equal/1-threads-4-turns-measured", "SELECT DISTINCT value FROM fact WHERE name = 'turns'")
        self.assertRegex(turns, "4, with [135] other process")  # two sides of one to three durations


class Peak(NgbTest):
    @unittest.skipIf(without_toolchains("identity"), without_toolchains("identity"))
    def test_is_kept_with_its_intervals_for_each_number_of_threads(self):
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        asked = ("calibrate", "--peak", "--threads", "1", "--rounds", "2", "--format", "json", "-o", "peak")
        try:
            told = self.ngb(*asked, timeout=100)  # a quiet machine needs less than half of that
        except subprocess.TimeoutExpired:
            self.skipTest("other programs disturb this machine all the time")
        if told.returncode == 3 and "disturbed" in told.stderr:
            self.skipTest("other programs disturb this machine all the time")
        self.assertEqual(told.returncode, 0, told.stderr)
        peak, = json.loads(told.stdout)["peaks"]
        self.assertEqual((peak["threads"], peak["compute_device"], peak["rounds"]), (1, "cpu", 2))
        # Each product is tried once, and the fastest of them is measured afresh.
        labels = ("SELECT model.label FROM process JOIN cell USING (cell_key) JOIN model USING (model_key) WHERE is_complete "
                  "ORDER BY model.label")  # without those that other programs disturbed
        self.assertEqual([label for label, in self.query("peak/1-threads-trial", labels)],
                         ["mm 1024", "mm 2048", "mm 512", "onednn 1024", "onednn 2048", "onednn 512"])
        self.assertEqual([label for label, in self.query("peak/1-threads", labels)],
                         sorted(2 * ["copy", "triad", *(f"read {size} MiB" for size in (16, 64, 256, 1024)), peak["product"]]))
        tried = dict(self.query("peak/1-threads-trial", """
            SELECT model.label, sum(repetition.inferences) * 1e9 / sum(repetition.wall_ns)
            FROM repetition JOIN process USING (process_key) JOIN cell USING (cell_key) JOIN model USING (model_key)
            WHERE NOT is_warm_up GROUP BY cell_key"""))
        rates = {label: per_s * int(label.split()[1]) ** 3 for label, per_s in tried.items()}
        self.assertGreater(rates[peak["product"]], 0.95 * max(rates.values()))  # repetitions are weighted otherwise there
        self.assertEqual([read["array_bytes"] for read in peak["reads"]], [size << 20 for size in (16, 64, 256, 1024)])
        for rate in (peak["macs_per_s"], peak["copy_bytes_per_s"], peak["triad_bytes_per_s"],
                     *(read["bytes_per_s"] for read in peak["reads"])):
            self.assertGreater(rate["value"], 1e8)  # a processor of this century
            self.assertLessEqual(rate["low"], rate["value"])
            self.assertGreaterEqual(rate["high"], rate["value"])
        (environment,), = self.query("peak/1-threads", "SELECT DISTINCT environment_hash FROM process")
        kept = json.loads((self.folder / f"home/.cache/ngraphbench/calibrations/{environment}.json").read_text().split("\n", 1)[1])
        self.assertEqual(kept["peaks"], [peak])
