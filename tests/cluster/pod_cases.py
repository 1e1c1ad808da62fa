# SPDX-License-Identifier: Apache-2.0
"""Cases of studies on pods, for whichever cluster has the nodes edge1 and edge2 (kubernetes_test.py)."""

import os
import signal
import subprocess
import time

from fleet import PATIENCE_S, PROCESSES


class PodCases:
    """Whoever has these cases says which pods there are, and takes token, image and API server away and gives them back."""

    def use_nodes(self, *nodes):
        self.use("".join(self.request(node, f"{self.IMAGE}, nodes: [{node}]") for node in nodes))

    def kubectl(self, *words):
        return subprocess.run(["kubectl", *words], env=self.environment, capture_output=True, text=True, check=False)

    def started(self, milliseconds=300):
        """A run on edge1 that has recorded three processes of so many milliseconds, of twelve."""
        self.use_nodes("edge1")
        self.slow(milliseconds)
        client = self.start("run", self.study)
        self.wait_until(lambda: self.recorded().get("edge1", 0) >= 3)
        return client

    def end_of(self, client):
        output = client.stdout.read()
        self.assertEqual(client.wait(timeout=PATIENCE_S), 0, output)
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
        self.read_until(client, "was refused")
        self.give_api_server_back()
        self.end_of(client)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_a_token_that_has_expired_is_said_and_once_it_is_renewed_the_same_run_goes_on(self):
        self.use_nodes("edge1")
        self.slow(1500)  # a server honours a token for ten seconds after its end
        self.take_token_away()
        refused = self.ngb("run", self.study)
        self.assertEqual(refused.returncode, 3, refused.stdout)
        self.assertIn("ngb: edge1: kubectl: error: You must be logged in to the server", refused.stderr)
        self.assertIn("; renew your login", refused.stderr)
        self.give_token_back()
        client = self.start("run", self.study)
        self.wait_until(lambda: self.recorded().get("edge1", 0) >= 3)
        self.take_token_away()
        for pid in self.children_of(client.pid):
            os.kill(pid, signal.SIGTERM)
        output = self.read_until(client, "trying again in 500 ms; if it stays so, renew your login")
        self.give_token_back()
        self.assertNotIn("another pod", output + self.end_of(client))
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_a_pod_that_could_not_be_deleted_at_the_end_is_deleted_by_the_same_command(self):
        client = self.started(1500)
        self.take_token_away()
        self.wait_until(lambda: self.recorded() == {"edge1": PROCESSES})
        time.sleep(3)
        client.send_signal(signal.SIGINT)
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertIn("is still on edge1; to end it there, run: ngb cancel", output)
        self.assertEqual(len(self.pods()), 1)
        self.give_token_back()
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("which is finished, has left on edge1", done.stderr)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def test_an_image_that_goes_is_named_and_the_run_is_resumed_once_it_is_back(self):
        client = self.started()
        self.take_image_away()
        self.kubectl("delete", "pod", self.pods()[0]["metadata"]["name"], "--wait=false")
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 3, output)
        self.assertIn("ErrImageNeverPull", output)
        self.assertIn("import the image on that node", output)
        self.assertNotIn("is still on edge1", output)
        self.assert_nothing_is_left()
        self.give_image_back()
        done = self.ngb("resume", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_recorded()
        self.assert_nothing_is_left()

    def refusal(self, request):
        self.use(self.request("x", request))
        done = self.ngb("run", self.study)
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
