# SPDX-License-Identifier: Apache-2.0
"""What befalls nodes of a real Slurm: in the end every process is recorded once."""

import pathlib
import sys
import unittest

for folder in ("tests/cli", "tests/cluster", "examples/cluster"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / folder))
from fleet import PATIENCE_S  # noqa: E402
from slurm_fleet import ASKING_PAUSE_S, WHY_NOT, SlurmFleetTest  # noqa: E402


@unittest.skipIf(WHY_NOT, WHY_NOT)
class SlurmNodes(SlurmFleetTest):
    def wait_until_it_runs_on_another_than(self, host):
        self.wait_until(lambda: self.node() not in (None, host), pause_s=ASKING_PAUSE_S)

    def test_a_job_that_is_requeued_goes_on_wherever_it_comes_to(self):
        self.use_any_node()
        self.slow(400)
        client = self.start("run", self.study)
        self.wait_until(lambda: self.recorded().get("any", 0) >= 3)
        job = self.cluster.jobs()[0]
        first = self.node()
        self.cluster.command("scontrol", "update", f"NodeName={first.name}", "State=DRAIN", "Reason=test")
        self.cluster.command("scontrol", "requeue", job["id"])
        self.wait_until_it_runs_on_another_than(first)
        self.cluster.command("scontrol", "update", f"NodeName={first.name}", "State=RESUME")
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 0, output)
        self.assert_whole()
        self.assert_no_jobs()
        self.assert_nodes_are_not_pooled()

    def assert_nodes_are_not_pooled(self):
        """The nodes are alike in all but their name; the processes that count of a cell are of one of them."""
        nodes = self.query("SELECT DISTINCT value FROM environment_entry WHERE name = 'slurm_node'")
        self.assertEqual(len(nodes), 2, nodes)
        mixed = self.query("SELECT cell_key FROM process JOIN origin USING (cell_key, origin) "
                           "JOIN environment_entry USING (environment_key) WHERE is_complete AND rank = 1 "
                           "AND name = 'slurm_node' GROUP BY 1 HAVING count(DISTINCT value) > 1")
        self.assertEqual(mixed, [])

    def test_a_node_that_is_lost_costs_no_recorded_process(self):
        self.use_any_node()
        self.slow(400)
        client = self.start("run", self.study)
        self.wait_until(lambda: self.recorded().get("any", 0) >= 3)
        lost = self.node()
        self.cluster.lose_node(lost)
        output = client.communicate(timeout=PATIENCE_S)[0]
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
        self.wait_until_it_runs_on_another_than(cut)
        at_the_requeue = self.recorded()["any"]
        self.wait_until(lambda: self.recorded()["any"] > at_the_requeue)
        cut.up()
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 0, output)
        self.assert_recorded()
        if "torn down: 1 of 1 verified" not in output:  # the node that was cut off was still at work in the shared folder
            self.assertIn("ngb cancel", output)
            self.cluster.wait_until_idle()
            cancelled = self.ngb("cancel", self.results)
            self.assertIn("torn down: 1 of 1 verified", cancelled.stdout, cancelled.stderr)
        self.assert_whole()


if __name__ == "__main__":
    unittest.main()
