#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Another program on the same processor: what is measured beside it is kept, named and not counted."""

import json
import os
import signal
import subprocess
import sys
import unittest

from ngb_program import NULL_STUDY, NgbTest

BUSY = NULL_STUDY.replace('- "null"', '- "null": {options: {run_ns: 20000000}}').replace(
    "depth: [1, 2]", "depth: 1").replace("[1, 2]", "1").replace("processes: 3", "processes: 2")


class Neighbour(NgbTest):
    """The worker and a busy loop share one processor, so that each waits for the other half of the time or more."""

    def setUp(self):
        super().setUp()
        everywhere = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, everywhere)
        os.sched_setaffinity(0, {max(everywhere)})  # of the programs that this test starts

    def run_beside_a_busy_loop(self, rule):
        loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        self.addCleanup(loop.wait)
        self.addCleanup(loop.kill)
        self.write("study.yaml", BUSY.replace("max_wait_percent: 100", rule))
        return self.ngb("run", "study.yaml")

    def test_disturbs_every_attempt_and_the_cell_has_a_reason_and_no_speed(self):
        run = self.run_beside_a_busy_loop("max_wait_percent: 5\n  attempts: 2\n  wait_s: 0")
        self.assertEqual(run.returncode, 1, run.stderr)  # the cell has no result
        self.assertIn("1 cell: 0 measured, 1 disturbed", run.stdout)
        self.assertIn("To measure disturbed cells again, on a quieter machine, run the same study again.", run.stdout)
        cell, = self.show("results/test")["cells"]
        self.assertEqual(cell["status"], "disturbed")
        self.assertRegex(cell["failure"]["message"],
                         r"^a thread waited for a processor in \d[\d.]* % of the timed phase \(allowed: 5 %\); "
                         r"meanwhile .*\(process \d+\) used .* s of processor time")
        attempts = self.query("results/test", "SELECT process_index, attempt, kind FROM process JOIN failure USING "
                              "(process_key) ORDER BY process_key")
        self.assertEqual(attempts, [(index, attempt, "disturbed") for index in (0, 1) for attempt in (1, 2)])
        kept, = self.query("results/test", "SELECT count(*) FROM repetition WHERE is_warm_up = 0 AND started_ns > 0")
        self.assertGreaterEqual(kept[0], 4 * 5)
        self.assertTrue(self.query("results/test", "SELECT * FROM neighbour WHERE cpu_ns > 0"))

    def test_counts_if_the_study_accepts_it_and_the_wait_is_shown(self):
        run = self.run_beside_a_busy_loop("max_wait_percent: 100")
        self.assertEqual(run.returncode, 0, run.stderr)
        cell, = self.show("results/test")["cells"]
        self.assertEqual(cell["status"], "measured")
        self.assertGreater(cell["metrics"]["run_queue_wait_percent"]["value"], 5)
        self.assertIn("waited", cell["flags"])
        compared = self.ngb("compare", "results/test", "results/test", "--json")
        pair, = json.loads(compared.stdout)["pairs"]
        self.assertIn("waited", pair["baseline"]["flags"])
        self.assertIn("waited on both sides", pair["reason"])


class TwoRuns(NgbTest):
    """Two runs at a time on this machine would disturb each other."""

    def test_the_second_is_refused_with_the_name_of_the_first_and_can_be_typed_again(self):
        self.write("slow.yaml", BUSY.replace("run_ns: 20000000", "compile_ns: 60000000000"))
        self.write("other.yaml", BUSY + "output: other\n")
        first = self.start("run", "slow.yaml")
        self.wait_for(lambda: self.children_of(first.pid) and self.query_lock())
        second = self.ngb("run", "other.yaml")
        self.assertEqual(second.returncode, 3, second.stdout)
        self.assertRegex(second.stderr, rf"another run is measured on this machine: process \d+, in "
                         rf"{self.folder}/results/test/devices/local; two at a time would disturb each other")
        self.assertIn("wait until it has ended, or end it; then run the same command again", second.stderr)
        first.send_signal(signal.SIGINT)
        self.assertEqual(first.wait(timeout=1500), 130)
        self.assertEqual(self.ngb("run", "other.yaml").returncode, 0)

    def query_lock(self):
        return [lock for lock in self.folder.glob("home/.cache/ngraphbench/machines/*/lock") if lock.read_text()]


if __name__ == "__main__":
    unittest.main()
