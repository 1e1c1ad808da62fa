# SPDX-License-Identifier: Apache-2.0
"""Cells beside loads: what ran, what it cost, and loads that cannot run."""

import json
import os
import unittest

from ngb_program import NULL_STUDY, NgbTest

LOADED = NULL_STUDY.replace('- "null"', '- "null": {options: {run_ns: 20000000}}').replace(
    "depth: [1, 2]", "depth: 1").replace("[1, 2]", "1").replace("processes: 3", "processes: 2")


class Loads(NgbTest):
    def setUp(self):
        super().setUp()
        everywhere = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, everywhere)
        os.sched_setaffinity(0, {max(everywhere)})  # worker and load share it, however many this machine has

    def test_are_part_of_a_cell_and_their_use_and_retention_are_shown(self):
        self.write("study.yaml", LOADED + "loads: [none, {cpu: 1}, {memory: 100 MB/s}]\n")
        plan = json.loads(self.ngb("plan", "study.yaml", "--json").stdout)
        self.assertEqual([cell["load"] for cell in plan["cells"]], ["none", "cpu: 1", "memory: 100 MB/s"])
        run = self.ngb("run", "study.yaml")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("conv_block width=8 depth=1 image_size=16, batch 1, on local, load cpu: 1, 1 thread, f32", run.stdout)
        self.assertIn("load retention [95 %]", run.stdout)
        idle, burnt, moved = self.show("results/test")["cells"]
        self.assertEqual([cell["load"] for cell in (idle, burnt, moved)], ["none", "cpu: 1", "memory: 100 MB/s"])
        self.assertEqual(idle["metrics"]["load_retention_ratio"]["reason"], "measured without a load")
        # The null compiler spins for a time of the wall clock, which a load does not make longer.
        self.assertGreater(burnt["metrics"]["load_retention_ratio"]["value"], 0.3)
        self.assertGreater(burnt["metrics"]["load_retention_ratio"]["high"], burnt["metrics"]["load_retention_ratio"]["low"])
        self.assertGreater(burnt["metrics"]["load_cpu_percent"]["value"], 10)
        self.assertGreater(moved["metrics"]["load_memory_bytes_per_s"]["value"], 3e7)
        self.assertLess(moved["metrics"]["load_memory_bytes_per_s"]["value"], 1.1e8)
        self.assertEqual(self.query("results/test", "SELECT load FROM cell ORDER BY cell_key"),
                         [("none",), ("cpu: 1",), ("memory: 100 MB/s",)])
        self.assertEqual(self.query("results/test", "SELECT count(*) FROM reading WHERE quantity = 'load_cpu_time'"), [(4,)])

        only = self.ngb("show", "results/test", "--load", "cpu: 1").stdout
        self.assertIn("load cpu: 1", only)
        self.assertIn("1 cell: 1 measured", only)
        wrong = self.ngb("show", "results/test", "--load", "cpu: 2")
        self.assertIn("cpu: 2: these results have no such load, did you mean cpu: 1?", wrong.stderr)
        told = json.loads(self.ngb("compare", "results/test", "--by", "load", "--baseline", "none", "--candidate", "cpu: 1",
                                   "--json").stdout)
        self.assertEqual([(pair["baseline"]["load"], pair["candidate"]["load"]) for pair in told["pairs"]],
                         [("none", "cpu: 1")])

        again = self.ngb("run", "study.yaml")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.query("results/test", "SELECT count(*) FROM process"), [(6,)])

    def test_that_cannot_run_are_failures_of_their_cells_with_the_reason(self):
        self.write("study.yaml", LOADED + 'loads: [none, {command: "no-such-burner 3"}, {cpu: 4000}]\n')
        run = self.ngb("run", "study.yaml")
        self.assertEqual(run.returncode, 1, run.stderr)
        idle, missing, large = self.show("results/test")["cells"]
        self.assertEqual(idle["status"], "measured")
        self.assertEqual(missing["failure"]["kind"], "load_failed")
        self.assertRegex(missing["failure"]["message"],
                         r"(?s)^loads: command: no-such-burner 3: it ended before the cell was timed, after .* s, with exit code 127.*not found")
        self.assertEqual(large["failure"]["kind"], "load_failed")
        self.assertEqual(large["failure"]["message"],
                         f"loads: cpu: 4000: it needs 4000 processors, and may run on 1 here: {max(os.sched_getaffinity(0))}")

    def test_that_are_wrong_are_named_by_key_and_line(self):
        self.write("study.yaml", LOADED + "loads: [none, {cpu: 0}, {memory: 3}]\n")
        plan = self.ngb("plan", "study.yaml")
        self.assertNotEqual(plan.returncode, 0)
        line = LOADED.count("\n") + 1
        self.assertIn(f"study.yaml:{line}:15: loads[1].cpu: expected more than 0; for no load write none", plan.stderr)
        self.assertIn(f"study.yaml:{line}:34: loads[2].memory: expected bytes per second such as 4 GB/s or 500 MB/s, "
                      "found 3", plan.stderr)


if __name__ == "__main__":
    unittest.main()
