# SPDX-License-Identifier: Apache-2.0
"""What tests of studies on three nodes that a real Slurm gives have in common."""

import hosts as network
import slurm
from fleet import FleetTest

WHY_NOT = slurm.missing()


class SlurmFleetTest(FleetTest):
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
        self.wait_until(lambda: self.cluster.jobs() == [], patience_s=60)
