# SPDX-License-Identifier: Apache-2.0
"""Studies on pods: in the end every process is recorded once, and no pod is left. The cases run on a real cluster where
`make kubernetes-cluster` has built one, and on a stand-in for kubectl everywhere."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

for folder in ("tests/cli", "tests/cluster", "examples/cluster"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / folder))
import kubernetes  # noqa: E402
from fleet import PATIENCE_S, DemonstrationTest, DevicesTest, HostsTest, use_stand_in  # noqa: E402
from lean_programs import lean_programs  # noqa: E402
from ngb_program import BIN  # noqa: E402

WHY_NOT = kubernetes.missing()


class PodCases:
    """Cases on nodes edge1 and edge2, whichever cluster has them."""

    def use_nodes(self, *nodes):
        self.use("".join(self.request(node, f"{self.IMAGE}, nodes: [{node}]") for node in nodes))

    def kubectl(self, *words):
        return subprocess.run(["kubectl", *words], env=self.environment, capture_output=True, text=True, check=False)

    def started(self):
        """A run on edge1 that has recorded some processes and will take some seconds more."""
        self.use_nodes("edge1")
        self.slow(300)
        client = self.start("run", self.study)
        self.wait_until(lambda: self.recorded().get("edge1", 0) >= 3)
        return client

    def end_of(self, client):
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 0, output)
        return output

    def test_two_nodes_are_two_devices_and_their_pods_go_with_the_run(self):
        self.use_nodes("edge1", "edge2")
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("torn down: 2 of 2 verified", done.stdout + done.stderr)
        self.assert_recorded()
        self.assert_nothing_is_left()
        nodes = self.query("SELECT DISTINCT value FROM environment_entry WHERE name = 'kubernetes_node' ORDER BY 1")
        self.assertEqual(nodes, [("edge1",), ("edge2",)])
        told = dict(self.query("SELECT DISTINCT name, value FROM environment_entry WHERE name LIKE 'kubernetes_%' "
                               "AND name != 'kubernetes_node'"))
        self.assertEqual(told["kubernetes_qos"], "Guaranteed")
        self.assertIn("sha256:", told["kubernetes_image"])
        self.assertIn(told["kubernetes_processors"], ("exclusive", "shared"))

    def test_a_pod_that_is_deleted_under_the_run_is_followed_by_another(self):
        client = self.started()
        self.kubectl("delete", "pod", self.pods()[0]["metadata"]["name"], "--wait=false")
        output = self.end_of(client)
        self.assertIn("it was deleted; another pod continues", output)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_a_killed_kubectl_costs_nothing(self):
        client = self.started()
        for pid in self.children_of(client.pid):  # kubectl exec, with an exit code that could be the agent's own
            os.kill(pid, signal.SIGTERM)
        output = self.end_of(client)
        self.assertIn("no connection", output)
        self.assert_recorded()
        self.assertNotIn("another pod", output)
        self.assert_nothing_is_left()

    def test_a_client_that_was_killed_leaves_a_pod_that_goes_on_and_is_taken_up_again(self):
        client = self.started()
        client.kill()
        client.wait()
        self.assertEqual(len(self.pods()), 1)
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("another pod", done.stderr)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_a_stopped_run_holds_no_pod_and_is_resumed_in_another(self):
        client = self.started()
        client.send_signal(signal.SIGINT)
        client.communicate(timeout=PATIENCE_S)
        self.assertEqual(client.returncode, 130)
        self.wait_until(lambda: self.pods() == [])
        done = self.ngb("resume", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_an_api_server_that_is_gone_for_a_while_is_waited_for(self):
        client = self.started()
        self.take_api_server_away()
        for pid in self.children_of(client.pid):
            os.kill(pid, signal.SIGTERM)
        time.sleep(3)
        self.give_api_server_back()
        output = self.end_of(client)
        self.assertIn("was refused", output)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def refusal(self, request):
        self.use(self.request("x", request))
        done = self.ngb("run", self.study, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assert_nothing_is_left()
        self.assertNotIn("is still on x", done.stderr)  # nothing is
        return done.stdout + done.stderr

    def test_what_can_never_run_is_refused_at_once_in_the_clusters_words_and_with_what_to_do(self):
        said = self.refusal(f"{self.IMAGE}, nodes: [edge7]")
        self.assertIn("node(s) didn't match Pod's node affinity/selector", said)
        self.assertIn("kubectl get nodes --show-labels", said)
        said = self.refusal("image: localhost/missing, pull: Never")
        self.assertIn("ErrImageNeverPull", said)
        self.assertIn("import the image on that node", said)
        said = self.refusal("pod: nobody")
        self.assertIn("pod nobody does not exist", said)

    def test_a_device_is_checked_in_a_pod_of_its_own_that_goes_again(self):
        entry = self.request("edge1", f"{self.IMAGE}, nodes: [edge1]").replace("  - ", "")
        self.environment["NGB_DEVICES"] = str(self.write("devices.yaml", entry))
        checked = self.ngb("devices", "check", "edge1")
        self.assertEqual(checked.returncode, 0, checked.stderr + checked.stdout)
        self.assertIn("glibc", checked.stdout)
        self.assert_nothing_is_left()


class OnAStandIn(PodCases, DevicesTest):
    """Pods are processes of this machine."""

    IMAGE = "image: bench"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = lean_programs(BIN.parent, "null") / "bin/ngb"

    def setUp(self):
        super().setUp()
        self.cluster = use_stand_in(self)
        self.addCleanup(self.delete_all)

    def request(self, name, request):
        """An entry of the study's devices; what a real cluster mounts in the pod is a folder of this machine."""
        return f"  - {name}: {{kubernetes: {{{request}}}, folder: {self.folder}/volume-of-{name}/data}}\n"

    def pods(self):
        return [json.loads(path.read_text()) for path in self.cluster.glob("pod-*.json")]

    def delete_all(self):
        self.restore()
        for pod in self.pods():
            self.kubectl("delete", "pod", pod["metadata"]["name"])

    def take_api_server_away(self):
        self.write("cluster/fault", "The connection to the server 10.0.0.1:6443 was refused - did you specify the right "
                                    "host or port?")

    def give_api_server_back(self):
        """As a real one, which for a moment knows nobody's rights."""
        self.write("cluster/fault", 'Error from server (Forbidden): pods is forbidden: User "u" cannot list resource "pods"')
        time.sleep(2)
        self.restore()

    def restore(self):
        (self.cluster / "fault").unlink(missing_ok=True)

    def assert_nothing_is_left(self):
        self.assertEqual(self.pods(), [])
        self.assertEqual(sorted(path.name for path in self.folder.glob("volume-of-*/*")), [])

    def test_rights_that_are_lacking_are_named_with_the_role_that_has_them(self):
        self.write("cluster/fault", 'Error from server (Forbidden): pods is forbidden: User "u" cannot list resource "pods"')
        self.use_nodes("edge1")
        done = self.ngb("run", self.study, timeout=60)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("ngb devices rbac", done.stderr)
        role = self.ngb("devices", "rbac", "--namespace", "bench")
        self.assertEqual(role.returncode, 0)
        self.assertIn("resources: [pods/exec], verbs: [create, get]", role.stdout)
        self.assertIn("metadata: {name: ngraphbench, namespace: bench}", role.stdout)

    def test_a_dry_run_prints_the_manifests_and_asks_the_cluster_for_nothing(self):
        self.use_nodes("edge1", "edge2")
        done = self.ngb("run", self.study, "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second = [json.loads(part.split("\n", 1)[1]) for part in done.stdout.split("---\n")]
        self.assertEqual(first["spec"]["nodeSelector"], {"kubernetes.io/hostname": "edge1"})
        self.assertEqual(second["spec"]["nodeSelector"], {"kubernetes.io/hostname": "edge2"})
        self.assertFalse((self.cluster / "calls").exists())
        self.assertFalse(self.results.exists())

    def test_pods_that_end_for_their_memory_again_and_again_end_the_run_with_that_reason(self):
        """As control groups of version 2 do it: with the largest process, all of the pod is gone."""
        self.write("cluster/why-ended", "OOMKilled")
        self.use_nodes("edge1")
        self.slow(60_000)
        client = self.start("run", self.study)
        ended = set()
        while client.poll() is None:
            for pod in self.pods():
                if pod["metadata"]["uid"] not in ended and list(self.folder.glob("volume-of-edge1/data/runs/*/journal*")):
                    ended.add(pod["metadata"]["uid"])
                    os.killpg(pod["pid"], signal.SIGKILL)
            time.sleep(0.3)
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertIn("ended without having done anything, like 3 before it: OOMKilled, exit code 137", output)
        self.assertIn("give it more memory", output)
        self.assertEqual(len(ended), 4)
        self.assert_nothing_is_left()

    def test_a_hundred_pods_that_wait_are_asked_for_at_most_twice_a_second(self):
        self.write("cluster/nodes", "edge1 0\n")
        self.use("".join(self.request(f"n{i}", self.IMAGE) for i in range(100)))
        client = self.start("run", self.study)
        self.wait_until(lambda: len(self.pods()) == 100)
        calls = self.cluster / "calls"
        calls.unlink()
        time.sleep(6)
        asked = [line for line in calls.read_text().splitlines() if " get " in line]
        status = pathlib.Path(f"/proc/{client.pid}/status").read_text()
        peak_kib = int(status.split("VmHWM:")[1].split()[0])
        self.assertLess(peak_kib, 100 * 1024)
        client.kill()
        client.wait()
        self.assertGreater(len(asked), 0)
        self.assertLessEqual(len(asked), 2 * 6 + 1)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class OnARealCluster(PodCases, DevicesTest, HostsTest):
    """As an account with the role that ngb prints, and no other rights."""

    HOSTS = 2
    IMAGE = 'image: "localhost/debian:1", pull: Never'

    def name_of_namespace(self):
        return self.id().rpartition("test_")[2].replace("_", "-")[:40].strip("-")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = kubernetes.Cluster(cls.hosts)
        cls.addClassCleanup(cls.cluster.remove)

    def setUp(self):
        super().setUp()
        self.namespace = self.name_of_namespace()
        role = self.ngb("devices", "rbac", "--namespace", self.namespace).stdout
        self.environment["PATH"] = self.cluster.environment["PATH"]
        self.environment["KUBECONFIG"] = self.cluster.account(self.namespace, role)
        self.addCleanup(self.cluster.kubectl, "-n", self.namespace, "delete", "pods", "--all", "--wait=false")

    def request(self, name, request):
        return f"  - {name}: {{kubernetes: {{{request}}}}}\n"

    def pods(self):
        return json.loads(self.cluster.kubectl("-n", self.namespace, "get", "pods", "-o", "json"))["items"]

    def take_api_server_away(self):
        self.cluster.kill_api_server()

    def give_api_server_back(self):
        self.cluster.start_api_server()

    def assert_nothing_is_left(self):
        self.assertEqual([pod["metadata"]["name"] for pod in self.pods()], [])

    def test_a_node_that_is_cut_off_for_a_while_costs_nothing(self):
        client = self.started()
        self.hosts.all[0].down()
        time.sleep(25)
        self.hosts.all[0].up()
        output = self.end_of(client)
        self.assertNotIn("another pod", output)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_a_drained_node_gives_its_pod_up_and_gets_another_once_it_may(self):
        client = self.started()
        self.cluster.kubectl("drain", "edge1", "--force", "--ignore-daemonsets", "--delete-emptydir-data")
        self.cluster.kubectl("uncordon", "edge1")
        output = self.end_of(client)
        self.assertIn("another pod continues", output)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_a_node_without_power_comes_back_with_another_pod(self):
        client = self.started()
        self.cluster.power_off(self.hosts.all[0])
        time.sleep(5)
        self.cluster.start_node(self.hosts.all[0])
        output = self.end_of(client)
        self.assertIn("another pod continues", output)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_a_volume_has_the_journal_for_the_next_pod_and_nothing_of_the_run_in_the_end(self):
        volume = self.cluster.make_volume("bench", self.namespace, self.hosts.all[0])
        self.use(self.request("edge1", f"{self.IMAGE}, nodes: [edge1], volume: bench"))
        self.slow(300)
        client = self.start("run", self.study)
        self.wait_until(lambda: self.recorded().get("edge1", 0) >= 3)
        journal, = volume.rglob("journal*")
        self.kubectl("delete", "pod", self.pods()[0]["metadata"]["name"], "--wait=false")
        output = self.end_of(client)
        self.assertIn("another pod continues", output)
        self.assert_recorded()
        self.assert_nothing_is_left()
        self.assertFalse(journal.exists())
        self.assertEqual(list(volume.rglob("runs/*")), [])


def run_alone(*cases):
    """Runs cases on the real cluster that are none of the suite, such as benchmarks, and ends the program."""
    if WHY_NOT:
        sys.exit(f"{pathlib.Path(sys.argv[0]).stem}: {WHY_NOT}")
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(unittest.TestSuite(cases))
    sys.exit(0 if result.wasSuccessful() else 1)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Demonstration(DemonstrationTest):
    def test_a_node_without_power_costs_nothing_and_nothing_is_left(self):
        self.environment["NGB_KUBERNETES"] = str(kubernetes.programs.CACHE)
        self.demonstrate("--kubernetes", hosts=2, off="edge2 has no power")


if __name__ == "__main__":
    unittest.main()
