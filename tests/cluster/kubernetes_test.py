# SPDX-License-Identifier: Apache-2.0
"""Studies on pods: in the end every process is recorded once, and no pod is left. The cases run on a real cluster where
`make kubernetes-cluster` has built one, and on a stand-in for kubectl everywhere."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

for folder in ("tests/cli", "tests/cluster", "examples/cluster"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / folder))
import hosts as network  # noqa: E402
import kubernetes  # noqa: E402
from fleet import PATIENCE_S, PROCESSES, DemonstrationTest, DevicesTest, HostsTest, use_stand_in  # noqa: E402
from lean_programs import lean_programs  # noqa: E402
from ngb_program import BIN  # noqa: E402
from pod_cases import PodCases  # noqa: E402

WHY_NOT = kubernetes.missing()


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
        pods = []
        for path in self.cluster.glob("pod-*.json"):
            with contextlib.suppress(FileNotFoundError):  # the run may delete it now
                pods.append(json.loads(path.read_text()))
        return pods

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

    def take_token_away(self):
        self.write("cluster/fault", "error: You must be logged in to the server (Unauthorized)")

    def give_token_back(self):
        self.restore()

    def take_image_away(self):
        self.write("cluster/no-image", "")

    def give_image_back(self):
        (self.cluster / "no-image").unlink()

    def restore(self):
        (self.cluster / "fault").unlink(missing_ok=True)

    def assert_nothing_is_left(self):
        self.assertEqual(self.pods(), [])
        self.assertEqual(sorted(path.name for path in self.folder.glob("volume-of-*/*")), [])

    def test_rights_that_are_lacking_are_named_with_the_role_that_has_them(self):
        self.write("cluster/fault", 'Error from server (Forbidden): pods is forbidden: User "u" cannot list resource "pods"')
        self.use_nodes("edge1")
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("ngb devices rbac", done.stderr)
        role = self.ngb("devices", "rbac", "--namespace", "bench")
        self.assertEqual(role.returncode, 0)
        self.assertIn("resources: [pods/exec], verbs: [create, get]", role.stdout)
        self.assertIn("metadata: {name: ngraphbench, namespace: \"bench\"}", role.stdout)

    def test_a_dry_run_prints_the_manifests_and_asks_the_cluster_for_nothing(self):
        self.use_nodes("edge1", "edge2")
        done = self.ngb("run", self.study, "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second = [json.loads(part.split("\n", 1)[1]) for part in done.stdout.split("---\n")]
        self.assertEqual(first["spec"]["nodeSelector"], {"kubernetes.io/hostname": "edge1"})
        self.assertEqual(second["spec"]["nodeSelector"], {"kubernetes.io/hostname": "edge2"})
        entry = self.request("edge1", f"{self.IMAGE}, nodes: [edge1]").replace("  - ", "")
        self.environment["NGB_DEVICES"] = str(self.write("devices.yaml", entry))
        checked = self.ngb("devices", "check", "edge1", "--dry-run")
        self.assertEqual(json.loads(checked.stdout.split("\n", 1)[1]), first)
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

    def test_a_device_that_is_finished_gets_no_other_pod_when_the_run_is_resumed(self):
        self.write("cluster/nodes", "edge1 2\nedge2 0\n")
        self.use_nodes("edge1", "edge2")
        client = self.start("run", self.study)
        self.wait_until(lambda: self.recorded() == {"edge1": PROCESSES} and len(self.pods()) == 1)
        calls = self.cluster / "calls"  # the second answer says that the pod is gone, and is read before a third is asked for
        self.wait_until(lambda: calls.read_text().rpartition(" delete ")[2].count(" get pods") >= 3)
        client.send_signal(signal.SIGINT)
        client.communicate(timeout=PATIENCE_S)
        self.write("cluster/nodes", "edge1 2\nedge2 2\n")
        calls.unlink()
        done = self.ngb("resume", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(calls.read_text().count(" create "), 1)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_a_hundred_pods_that_wait_are_asked_for_at_most_twice_a_second(self):
        self.write("cluster/nodes", "edge1 0\n")
        self.use("".join(self.request(f"n{i}", self.IMAGE) for i in range(100)))
        client = self.start("run", self.study)
        self.wait_until(lambda: len(self.pods()) == 100)
        calls = self.cluster / "calls"
        begun = time.monotonic()
        calls.unlink()
        self.wait_until(lambda: calls.exists() and calls.read_text().count(" get ") > 10)
        asked = [line for line in calls.read_text().splitlines() if " get " in line]
        lasted_s = time.monotonic() - begun
        status = pathlib.Path(f"/proc/{client.pid}/status").read_text()
        peak_kib = int(status.split("VmHWM:")[1].split()[0])
        self.assertLess(peak_kib, 100 * 1024)
        client.kill()
        client.wait()
        self.assertLessEqual(len(asked), 2 * lasted_s + 2)  # one may have begun before


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

    def take_token_away(self):
        """Such a token is bound to its account, so it ends with it; the shortest time that a server grants is ten minutes."""
        self.cluster.kubectl("-n", self.namespace, "delete", "serviceaccount", "ngraphbench")
        self.wait_until(lambda: self.kubectl("get", "pods").returncode != 0)

    def give_token_back(self):
        self.cluster.kubectl("-n", self.namespace, "create", "serviceaccount", "ngraphbench")
        self.cluster.log_in(self.namespace)

    def take_image_away(self):
        self.addCleanup(self.cluster.import_image, self.hosts.all[0], "debian")
        self.cluster.ctr(self.hosts.all[0], "images", "rm", "--sync", "localhost/debian:1")

    def give_image_back(self):
        self.cluster.import_image(self.hosts.all[0], "debian")

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

    def test_an_evicted_pod_is_followed_by_another(self):
        client = self.started()
        pod = self.pods()[0]["metadata"]["name"]
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": self.namespace}}
        self.cluster.kubectl("create", "--raw", f"/api/v1/namespaces/{self.namespace}/pods/{pod}/eviction", "-f", "-",
                             input=json.dumps(eviction))
        output = self.end_of(client)
        self.assertIn("another pod continues", output)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_two_studies_on_one_node_measure_one_after_the_other(self):
        client = self.started()
        other = self.write("other.yaml", self.study.read_text().replace("name: test", "name: other"))
        done = self.ngb("run", other, "-o", "results/other")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Unschedulable: 0/2 nodes are available", done.stderr)
        self.assertIn("4 cells: 4 measured", done.stdout)
        self.end_of(client)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_a_pod_of_somebody_else_with_the_name_is_named_and_left_alone(self):
        client = self.started()
        client.kill()
        client.wait()
        name = self.pods()[0]["metadata"]["name"]
        self.kubectl("delete", "pod", name)
        container = {"name": "device", "image": "localhost/debian:1", "imagePullPolicy": "Never", "command": ["sleep", "600"]}
        theirs = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container]}}
        self.cluster.kubectl("-n", self.namespace, "create", "-f", "-", input=json.dumps(theirs))
        refused = self.ngb("run", self.study)
        self.assertEqual(refused.returncode, 3, refused.stdout)
        self.assertIn(f"a pod of the name {name} is there that belongs to somebody else", refused.stderr)
        self.assertEqual([pod["metadata"].get("labels") for pod in self.pods()], [None])
        self.cluster.kubectl("-n", self.namespace, "delete", "pod", name, "--force")
        self.assertEqual(self.ngb("run", self.study).returncode, 0)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_an_exhausted_quota_of_the_namespace_is_waited_for(self):
        self.use_nodes("edge1")
        self.cluster.kubectl("-n", self.namespace, "create", "quota", "none", "--hard=pods=0")
        client = self.start("run", self.study)
        self.read_until(client, "exceeded quota: none")
        self.cluster.kubectl("-n", self.namespace, "delete", "quota", "none")
        self.end_of(client)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_a_cell_that_needs_more_memory_than_its_pod_has_ends_without_the_pod(self):
        self.use(self.request("edge1", f"{self.IMAGE}, nodes: [edge1], memory: 256 MB"))
        too_much = '"null": {options: {memory_bytes: 400000000}}'
        self.study.write_text(self.study.read_text().replace('"null"\nbatch', too_much + "\nbatch"))
        done = self.ngb("run", self.study)
        self.assertIn("null in 4 (out_of_memory)", done.stdout)
        self.assertNotIn("another pod", done.stdout + done.stderr)
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


    def test_kubectl_may_be_on_a_host_that_ssh_leads_to(self):
        place = self.folder / "login"
        place.mkdir()
        others = network.Hosts(place, 1)
        self.addCleanup(others.remove)
        login, = others.all
        login.power_off()
        login.start(path=self.cluster.environment["PATH"])
        others.wait_for(login)
        network.ip("-n", login.space, "route", "add", "default", "via", f"{others.network.prefix}.1")
        (others.home / ".kube").mkdir()
        shutil.copy(self.environment.pop("KUBECONFIG"), others.home / ".kube/config")
        self.environment["PATH"] = os.environ["PATH"]  # without kubectl
        self.use(f"  - far: {{ssh: {{host: {login.name}, config: {others.config}}}, kubernetes: {{{self.IMAGE}}}}}\n")
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("torn down: 1 of 1 verified", done.stdout + done.stderr)
        self.assert_recorded()
        self.assert_nothing_is_left()
        self.assertEqual(login.processes(), [])


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
