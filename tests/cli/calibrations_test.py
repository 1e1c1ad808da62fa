# SPDX-License-Identifier: Apache-2.0
"""What ngb plan and ngb compare make of a calibration, and what ngb calibrate refuses: no machine needs to be quiet for it."""

import json
import sys
import unittest

from ngb_program import NgbTest, as_kept

STUDY = """\
name: asks
models: [{zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}}]
compilers: ["null": {options: {made_up_ns: [1000000, 3000000]}}]
threads: THREADS
reference: none
protocol: paper
processes: 5
repetitions: 5
disturbance: {max_wait_percent: 100}
output: results
"""


class Calibrations(NgbTest):
    def test_is_used_by_plan_and_compare_for_its_environment_and_threads(self):
        self.write("study.yaml", STUDY.replace("THREADS", "1"))
        self.assertIn("1 thread: how small a difference can be found here is unknown; `ngb calibrate --threads 1 --turns 1` "
                      "measures it", self.ngb("plan", "study.yaml").stdout)
        run = self.ngb("run", "study.yaml")
        self.assertEqual(run.returncode, 0, run.stderr)
        sides = ("--by", "options", "--baseline", "made_up_ns=1000000", "--candidate", "made_up_ns=3000000")
        self.assertIsNone(json.loads(self.ngb("compare", "results", *sides, "--json").stdout)["rules"]["quiet_deviation"])

        (environment,), = self.query("results", "SELECT DISTINCT environment_hash FROM process")
        kept = self.folder / f"home/.cache/ngraphbench/calibrations/{environment}.json"
        kept.parent.mkdir()
        cells = [{"name": "any", "inference_s": 0.01, "process_s": 1, "differences": [-0.01, 0, 0.01]}]  # deviation .01
        quieter = [{"name": "any", "inference_s": 0.01, "process_s": 1, "differences": [-0.001, 0, 0.001]}]
        kept.write_text(as_kept(json.dumps({"version": 1, "environment_hash": environment, "threads": [
            {"threads": 1, "turns": 1, "measured_unix_ns": 0, "compiler": "null", "cells": cells},
            {"threads": 1, "turns": 5, "measured_unix_ns": 0, "compiler": "null", "cells": quieter}]})))
        plan = self.ngb("plan", "study.yaml").stdout
        self.assertIn("1 thread: with 5 rounds, differences of about 2.2 % and more are found in half of the cells, of "
                      "2.2 % in 80 %; for 2 %: 6 rounds (6 in 80 %)", plan)
        decidable, = json.loads(self.ngb("plan", "study.yaml", "--json").stdout)["decidable"]
        self.assertAlmostEqual(decidable["median_ratio"], 0.022283191463832, places=9)
        rules = json.loads(self.ngb("compare", "results", *sides, "--json").stdout)["rules"]
        self.assertAlmostEqual(rules["quiet_deviation"], 0.01, places=12)

        # Turns are calibrated by themselves.
        self.write("turns.yaml", STUDY.replace("THREADS", "1").replace("results", "turns")
                   .replace("protocol: paper", "turns: 5\nallocator: default"))
        self.assertIn("1 thread in 5 turns: with 5 rounds, differences of about 0.22 % and more",
                      self.ngb("plan", "turns.yaml").stdout)
        run = self.ngb("run", "turns.yaml")
        self.assertEqual(run.returncode, 0, run.stderr)
        rules = json.loads(self.ngb("compare", "turns", *sides, "--json").stdout)["rules"]
        self.assertAlmostEqual(rules["quiet_deviation"], 0.001, places=12)

        # Another allocator is another environment; another number of threads is still unknown.
        self.write("steady.yaml", STUDY.replace("THREADS", "1") + "allocator: steady\n")
        self.assertIn("1 thread: how small a difference can be found here is unknown",
                      self.ngb("plan", "steady.yaml").stdout)
        self.write("study.yaml", STUDY.replace("THREADS", "2"))
        self.assertIn("2 threads: how small a difference can be found here is unknown",
                      self.ngb("plan", "study.yaml").stdout)
        kept.write_text("{}")
        # What was changed behind ngb's back counts as not there.
        changed = self.ngb("compare", "results", *sides, "--json")
        self.assertEqual(changed.returncode, 0, changed.stderr)
        self.assertIsNone(json.loads(changed.stdout)["rules"]["quiet_deviation"])

    def test_refuses_a_time_it_cannot_read_and_a_compiler_that_is_not_installed(self):
        told = self.ngb("calibrate", "--time", "soon")
        self.assertEqual(told.returncode, 2)
        self.assertIn("expected a number with s, m or h, for example 10m", told.stderr)
        told = self.ngb("calibrate", "--compiler", "openvino", "-o", "equal")
        self.assertEqual(told.returncode, 3)
        self.assertIn("run: ngb toolchain install openvino", told.stderr)


class Peak(NgbTest):
    def test_without_pytorch_says_how_to_install_it(self):
        told = self.ngb("calibrate", "--peak", "--threads", "1", "-o", "peak")
        self.assertEqual(told.returncode, 3, told.stdout)
        self.assertIn("run: ngb toolchain install identity", told.stderr)

    def test_a_pytorch_of_another_version_than_the_pinned_one_is_measured(self):
        toolchain = self.folder / "toolchains/identity/2.11.0"
        (toolchain / "site").mkdir(parents=True)  # without packages, so that nothing is measured in the end
        (toolchain / "manifest.json").write_text(json.dumps({
            "adopted": False, "compiler": "identity", "created": "2026-11-27T17:47:27Z", "format": 1, "packages": [],
            "python": sys.executable, "python_version": "3.12.3", "sha256": 64 * "0", "site": "site", "size_bytes": 0,
            "version": "2.11.0"}))
        self.environment["NGB_TOOLCHAINS"] = str(self.folder / "toolchains")
        told = self.ngb("calibrate", "--peak", "--threads", "1", "--rounds", "2", "-o", "peak")
        self.assertEqual(told.returncode, 3, told.stdout)
        self.assertIn("the product could not be measured", told.stderr)
        compilers = self.query("peak/1-threads-trial", "SELECT DISTINCT compiler, compiler_version FROM cell")
        self.assertEqual(compilers, [("identity", "2.11.0")])

    def test_takes_no_options_of_equal_sides(self):
        self.assertEqual(self.ngb("calibrate", "--peak", "--turns", "3").returncode, 2)
        self.assertEqual(self.ngb("calibrate", "--gpu").returncode, 2)


if __name__ == "__main__":
    unittest.main()
