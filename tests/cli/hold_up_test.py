# SPDX-License-Identifier: Apache-2.0
"""Nothing blocks ngb: a reader of the results ends no run, and a signal ends ngb whatever devices do."""

import os
import signal
import sqlite3
import time

from ngb_program import NULL_STUDY, NgbTest
from ssh_program import DeviceTest

# ngb promises five seconds; a busy machine gets more.
ENDS_WITHIN_S = 20


class AReader(NgbTest):
    def setUp(self):
        super().setUp()
        self.write("study.yaml", NULL_STUDY.replace('- "null"', '- "null": {options: {compile_ns: 100000000}}'))
        self.database = self.folder / "results/test/results.db"

    def start_and_hold(self):
        """Starts a run and a reader that keeps its transaction open."""
        run = self.start("run", "study.yaml")
        self.wait_for(lambda: self.database.exists() and self.recorded() > 0)
        reader = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, isolation_level=None)
        self.addCleanup(reader.close)
        reader.execute("begin")
        reader.execute("select count(*) from process").fetchone()
        line = run.stdout.readline()
        while "has an open transaction" not in line:
            self.assertTrue(line, "the run has ended")
            line = run.stdout.readline()
        self.assertIn(f"(process {os.getpid()})", line)
        return run, reader

    def recorded(self):
        try:
            return self.query("results/test", "select count(*) from process")[0][0]
        except sqlite3.OperationalError:
            return 0

    def test_that_never_closes_its_transaction_ends_no_run(self):
        run, reader = self.start_and_hold()
        time.sleep(1)  # twenty times ngb's timeout for a lock
        self.assertIsNone(run.poll())
        reader.execute("commit")
        said = run.stdout.read()
        self.assertEqual(run.wait(300), 0, said)
        self.assertEqual(self.recorded(), 12)
        self.assertNotIn("has an open transaction", said)

    def test_does_not_delay_a_signal_and_loses_no_results(self):
        run, reader = self.start_and_hold()
        begun = time.monotonic()
        run.send_signal(signal.SIGTERM)
        self.assertIn("run the same command again", run.stdout.read())
        self.assertEqual(run.wait(300), 130)
        self.assertLess(time.monotonic() - begun, ENDS_WITHIN_S)
        reader.execute("commit")
        self.assertEqual(self.ngb("run", "study.yaml").returncode, 0)
        rows = self.query("results/test", "select cell_key, process_index, count(*) from process group by 1, 2")
        self.assertEqual([row[2] for row in rows], [1] * 12)


class AnSshThatStops(DeviceTest):
    def setUp(self):
        super().setUp()
        self.program = None  # the programs with all that they have, whose delivery lasts longer

    def stop_and_signal(self, sent):
        begun = time.monotonic()
        self.run.send_signal(sent)
        self.run.stdout.read()
        self.run.wait(300)
        self.assertLess(time.monotonic() - begun, ENDS_WITHIN_S)

    def freeze_the_connection(self):
        for pid in self.wait_for(lambda: self.children_of(self.run.pid)):
            os.kill(pid, signal.SIGSTOP)

    def test_during_a_delivery_does_not_delay_a_signal(self):
        self.use("  - dev: {ssh: dev}\n")
        self.run = self.start("run", "study.yaml")
        self.wait_for(lambda: list(self.hosts.glob("dev/.ngraphbench/agents/*")))
        self.freeze_the_connection()
        self.stop_and_signal(signal.SIGINT)

    def test_during_a_measurement_does_not_delay_a_signal(self):
        self.use("  - dev: {ssh: dev}\n", compile_ms=500)
        self.run = self.start("run", "study.yaml")
        self.wait_for(lambda: list(self.hosts.glob("dev/.ngraphbench/runs/*/journal")))
        self.freeze_the_connection()
        self.stop_and_signal(signal.SIGTERM)
        self.assertEqual(self.ngb("cancel", self.results).returncode, 0)
