# SPDX-License-Identifier: Apache-2.0
"""One study over devices of all kinds at once: this machine, a host that ssh reaches, a node that Slurm gives, and a pod: on a
real cluster where `make kubernetes-cluster` has built one, else on a stand-in for kubectl."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/cluster"))
import kubernetes  # noqa: E402
from fleet import use_stand_in  # noqa: E402
from slurm_fleet import WHY_NOT, SlurmFleetTest  # noqa: E402

WHY_NO_PODS = kubernetes.missing()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Mixed(SlurmFleetTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        print(f"pods are those of {'a stand-in: ' + WHY_NO_PODS if WHY_NO_PODS else 'a real cluster'}", file=sys.stderr)
        if not WHY_NO_PODS:
            cls.pods = kubernetes.Cluster(cls.hosts)
            cls.addClassCleanup(cls.pods.remove)

    def pod(self):
        """The entry of a device in a pod on edge3."""
        if WHY_NO_PODS:
            use_stand_in(self, "edge3 2\n")
            return f"  - pod: {{kubernetes: {{image: bench}}, folder: {self.folder}/volume-of-pod/data}}\n"
        role = self.ngb("devices", "rbac", "--namespace", "mixed").stdout
        self.environment["KUBECONFIG"] = self.pods.account("mixed", role)
        self.environment["PATH"] = f"{kubernetes.programs.CACHE}:{self.environment['PATH']}"
        return '  - pod: {kubernetes: {image: "localhost/debian:1", pull: Never, nodes: [edge3]}}\n'

    def test_one_study_measures_on_this_machine_by_ssh_by_slurm_and_in_a_pod(self):
        by_ssh = self.hosts.devices().splitlines()[0] + "\n"
        by_slurm = self.cluster.devices().splitlines()[1] + "\n"
        self.use("  - here: local\n" + by_ssh + by_slurm + self.pod())
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("16 cells: 16 measured", done.stdout)
        self.assertIn("torn down: 3 of 3 verified", done.stdout + done.stderr)
        self.assertEqual(sorted(self.recorded()), ["edge1", "edge2", "here", "pod"])
        self.assert_recorded()
        self.assert_no_jobs()
        told = self.query("SELECT DISTINCT device, name FROM process JOIN environment_entry USING (environment_key) "
                          "WHERE name IN ('slurm_node', 'kubernetes_node') ORDER BY 1")
        self.assertEqual(told, [("edge2", "slurm_node"), ("pod", "kubernetes_node")])
        shown = self.ngb("show", self.results)
        print(shown.stdout, file=sys.stderr)
        for device in ("here", "edge1", "edge2", "pod"):
            self.assertIn(f"on {device}, 1 thread", shown.stdout)


if __name__ == "__main__":
    unittest.main()
