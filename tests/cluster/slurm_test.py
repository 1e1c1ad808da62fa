# SPDX-License-Identifier: Apache-2.0
"""Studies on three nodes that a real Slurm gives."""

import pathlib
import signal
import sys
import time
import unittest

for folder in ("tests/cli", "tests/cluster", "examples/cluster"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / folder))
from fleet import PATIENCE_S, DemonstrationTest  # noqa: E402
from slurm_fleet import WHY_NOT, SlurmFleetTest  # noqa: E402


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Slurm(SlurmFleetTest):
    def test_a_study_runs_on_three_nodes_and_is_taken_away_again(self):
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertIn("submitted as job", done.stderr)
        self.assertIn("torn down: 3 of 3 verified", done.stdout)
        self.assert_whole()
        self.assert_no_jobs()

    def test_a_client_that_was_killed_finds_its_jobs_again(self):
        self.slow(300)
        client = self.start("run", self.study)
        self.wait_until(lambda: sum(self.recorded().values()) >= 3)
        before = {job["name"]: job["id"] for job in self.cluster.jobs()}
        client.send_signal(signal.SIGKILL)
        client.wait()
        time.sleep(2)  # the nodes go on
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertEqual(len(before), 3)
        self.assertNotIn("submitted", done.stderr)
        self.assert_whole()
        self.assert_no_jobs()

    def test_ctrl_c_gives_the_nodes_back_and_the_same_command_goes_on(self):
        self.slow(300)
        client = self.start("run", self.study)
        self.wait_until(lambda: sum(self.recorded().values()) >= 3)
        client.send_signal(signal.SIGINT)
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 130, output)
        self.assert_no_jobs()
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assert_whole()

    def test_a_cancelled_job_is_said_and_resubmitted_only_when_asked(self):
        self.slow(300)
        client = self.start("run", self.study)
        self.wait_until(lambda: len(self.recorded()) == 3)
        self.cluster.command("scancel", next(job["id"] for job in self.cluster.jobs() if job["node"] == "edge1"))
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 3, output)
        self.assertIn("was cancelled", output)
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assert_whole()

    def test_a_request_that_cannot_be_met_is_said_with_slurms_words(self):
        self.use_any_node(constraint="orin")
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("Invalid feature specification", done.stderr)

    def test_cancel_takes_jobs_and_files_away(self):
        self.slow(300)
        client = self.start("run", self.study)
        self.wait_until(lambda: sum(self.recorded().values()) >= 3)
        client.send_signal(signal.SIGKILL)
        client.wait()
        cancelled = self.ngb("cancel", self.results)
        self.assertEqual(cancelled.returncode, 0, cancelled.stderr)
        self.assertIn("torn down: 3 of 3 verified", cancelled.stdout)
        self.assert_no_jobs()
        self.assert_quiet()
        done = self.ngb("resume", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_whole()

    def test_devices_check_looks_at_every_node(self):
        self.environment["NGB_DEVICES"] = str(self.write(
            "devices.yaml", f"edges: {{slurm: {{nodes: [edge1, edge2]}}, folder: {self.folder}/look}}\n"))
        told = self.ngb("devices", "check")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("edges-edge1\n", told.stdout)
        self.assertIn("edges-edge2\n", told.stdout)
        self.assert_no_jobs()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Demonstration(DemonstrationTest):
    def test_it_ends_with_the_table_and_nothing_left(self):
        self.demonstrate("--slurm")


if __name__ == "__main__":
    unittest.main()
