# SPDX-License-Identifier: Apache-2.0
"""What tests of studies on three nodes that a real Slurm gives have in common."""

import slurm
from fleet import FleetTest

WHY_NOT = slurm.missing()
ASKING_PAUSE_S = 0.3  # between two questions to slurmctld, each of which is a program that starts


class SlurmFleetTest(FleetTest):
    """A test on a cluster that all tests of its class share, like its hosts."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = slurm.Cluster(cls.hosts)
        cls.addClassCleanup(cls.cluster.remove)

    def setUp(self):
        super().setUp()
        self.addCleanup(self.cluster.reset)
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
        self.wait_until(lambda: self.cluster.jobs() == [], patience_s=60, pause_s=ASKING_PAUSE_S)
