# SPDX-License-Identifier: Apache-2.0
"""Studies on three nodes that a real Slurm gives."""

import signal
import sys
import pathlib
import time
import unittest

for folder in ("tests/cli", "tests/cluster", "examples/cluster"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / folder))
import hosts as network  # noqa: E402
import slurm  # noqa: E402
from fleet import FleetTest  # noqa: E402

WHY_NOT = slurm.missing()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Slurm(FleetTest):
    def setUp(self):
        super().setUp()
        self.hosts = network.Hosts(self.folder, 3)
        self.addCleanup(self.hosts.remove)
        self.cluster = slurm.Cluster(self.hosts)
        self.addCleanup(self.cluster.remove)
        self.environment.update(self.cluster.environment)
        self.use(self.cluster.devices())

    def use_any_node(self, **request):
        """One device, whichever node it is; the nodes share its folder."""
        request = "".join(f", {key}: {value}" for key, value in request.items())
        self.use(f"  - any: {{slurm: {{partition: bench{request}}}, folder: {self.folder}/shared}}\n")

    def node(self):
        """The host on which the job runs; None while none does."""
        running = [job["node"] for job in self.cluster.jobs() if job["state"] == "RUNNING"]
        return next((host for host in self.hosts.all if [host.name] == running), None)

    def assert_no_jobs(self):
        self.wait_until(lambda: self.cluster.jobs() == [], patience_s=20)

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
        output = client.communicate(timeout=60)[0]
        self.assertEqual(client.returncode, 130, output)
        self.assert_no_jobs()
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assert_whole()

    def test_a_job_that_is_requeued_goes_on_wherever_it_comes_to(self):
        self.use_any_node()
        self.slow(400)
        client = self.start("run", self.study)
        self.wait_until(lambda: self.recorded().get("any", 0) >= 3)
        job = self.cluster.jobs()[0]
        first = self.node()
        self.cluster.command("scontrol", "update", f"NodeName={first.name}", "State=DRAIN", "Reason=test")
        self.cluster.command("scontrol", "requeue", job["id"])
        self.wait_until(lambda: self.node() not in (None, first))
        self.cluster.command("scontrol", "update", f"NodeName={first.name}", "State=RESUME")
        output = client.communicate(timeout=180)[0]
        self.assertEqual(client.returncode, 0, output)
        self.assert_whole()
        self.assert_no_jobs()

    def test_a_node_that_is_lost_costs_no_recorded_process(self):
        self.use_any_node()
        self.slow(400)
        client = self.start("run", self.study)
        self.wait_until(lambda: self.recorded().get("any", 0) >= 3)
        lost = self.node()
        self.cluster.lose_node(lost)
        output = client.communicate(timeout=180)[0]
        self.assertEqual(client.returncode, 0, output)
        self.assert_recorded()
        self.assertIn(f"{lost.name}: cannot be reached for the teardown", output)
        lost.start()
        self.cluster.start_node(lost)
        self.cluster.wait_until_idle()
        cancelled = self.ngb("cancel", self.results)
        self.assertIn("torn down: 1 of 1 verified", cancelled.stdout, cancelled.stderr)
        self.assert_whole()

    def test_a_partition_that_heals_after_the_requeue_records_nothing_twice(self):
        self.use_any_node()
        self.slow(1500)
        client = self.start("run", self.study)
        self.wait_until(lambda: self.recorded().get("any", 0) >= 3)
        cut = self.node()
        cut.down()
        self.wait_until(lambda: self.node() not in (None, cut), patience_s=60)
        at_the_requeue = self.recorded()["any"]
        self.wait_until(lambda: self.recorded()["any"] > at_the_requeue, patience_s=60)
        cut.up()
        output = client.communicate(timeout=180)[0]
        self.assertEqual(client.returncode, 0, output)
        self.assert_whole()

    def test_a_preempted_job_goes_on_when_its_node_is_free_again(self):
        self.use("  - edge1: {slurm: {partition: bench, nodes: [edge1]}, folder: " + str(self.hosts.all[0].folder) + "}\n")
        self.slow(300)
        client = self.start("run", self.study)
        self.wait_until(lambda: self.recorded().get("edge1", 0) >= 3)
        self.cluster.command("sbatch", "-p", "urgent", "-w", "edge1", "--exclusive", "-o", "/dev/null", "--wrap", "sleep 3")
        output = client.communicate(timeout=180)[0]
        self.assertEqual(client.returncode, 0, output)
        self.assertIn("PENDING", output)
        self.assert_whole()

    def test_a_cancelled_job_is_said_and_resubmitted_only_when_asked(self):
        self.slow(300)
        client = self.start("run", self.study)
        self.wait_until(lambda: len(self.recorded()) == 3)
        self.cluster.command("scancel", next(job["id"] for job in self.cluster.jobs() if job["node"] == "edge1"))
        output = client.communicate(timeout=120)[0]
        self.assertEqual(client.returncode, 3, output)
        self.assertIn("was cancelled", output)
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assert_whole()

    def test_a_time_limit_shorter_than_the_study_takes_several_jobs(self):
        self.use_any_node(time=1)  # Slurm counts minutes, and looks twice in each
        self.slow(9500)
        client = self.start("run", self.study)
        output = client.communicate(timeout=300)[0]
        self.assertEqual(client.returncode, 0, output)
        self.assertIn("ended: TIMEOUT; another one goes on", output)
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
class Demonstration(FleetTest):
    def test_it_ends_with_the_table_and_nothing_left(self):
        self.demonstrate("--slurm")


if __name__ == "__main__":
    unittest.main()
