# SPDX-License-Identifier: Apache-2.0
"""What befalls jobs of a real Slurm: in the end every process is recorded once."""

import pathlib
import sys
import unittest

for folder in ("tests/cli", "tests/cluster", "examples/cluster"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / folder))
from fleet import PATIENCE_S  # noqa: E402
from slurm_fleet import WHY_NOT, SlurmFleetTest  # noqa: E402


@unittest.skipIf(WHY_NOT, WHY_NOT)
class SlurmJobs(SlurmFleetTest):
    def test_a_preempted_job_goes_on_when_its_node_is_free_again(self):
        self.use("  - edge1: {slurm: {partition: bench, nodes: [edge1]}, folder: " + str(self.hosts.all[0].folder) + "}\n")
        self.slow(300)
        client = self.start("run", self.study)
        self.wait_until(lambda: self.recorded().get("edge1", 0) >= 3)
        self.cluster.command("sbatch", "-p", "urgent", "-w", "edge1", "--exclusive", "-o", "/dev/null", "--wrap", "sleep 3")
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 0, output)
        self.assertIn("PENDING", output)
        self.assert_whole()

    def test_a_time_limit_shorter_than_the_study_takes_several_jobs(self):
        self.use_any_node(time=1)
        self.slow(3000)  # what is left when the time is over lasts longer than the half minute in which Slurm looks once
        client = self.start("run", self.study)
        self.wait_until(lambda: self.recorded().get("any", 0) >= 1)
        job, = self.cluster.jobs()
        self.assertEqual(job["limit"], "1:00")
        # As if that minute were over soon: Slurm refuses a time that is over when it reads it.
        self.cluster.command("scontrol", "update", f"JobId={job['id']}", "EndTime=now+5")
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 0, output)
        self.assertIn("ended: TIMEOUT; another job continues", output)
        self.assert_whole()


if __name__ == "__main__":
    unittest.main()
