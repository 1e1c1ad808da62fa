#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chaos in a real Kubernetes: small studies on two of its nodes, each with one or two faults drawn at random.

    pods.py --runs 20 --seed 1      all of them, on one cluster (make kubernetes-cluster)
    pods.py --seed 1 --only 7       that one run again
    pods.py --cut                   both nodes are cut off instead: for ten minutes, and for longer than a run waits

After the faults the same command is typed until it succeeds. Then nothing is lost, nothing is there twice, and no pod is left."""

import argparse
import os
import pathlib
import random
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cluster"))
import kubernetes_test  # noqa: E402
from fleet import PATIENCE_S, PROCESSES  # noqa: E402

TRIES = 3  # so often the same command is typed
SECOND = 0.4  # of the runs have two faults


class PodChaos(kubernetes_test.OnARealCluster):
    def __init__(self, seed, number):
        super().__init__()
        self.number = number
        self.chance = random.Random(f"{seed}/{number}")

    def name_of_namespace(self):
        return f"chaos-{self.number}"

    def a_host(self):
        return self.chance.choice(self.hosts.all)

    def kill_kubectl(self, client):
        for pid in self.children_of(client.pid):
            os.kill(pid, self.chance.choice((signal.SIGTERM, signal.SIGKILL)))

    def kill_client(self, client):
        client.kill()

    def stop_client(self, client):
        client.send_signal(signal.SIGINT)

    def delete_a_pod(self, client):
        names = [pod["metadata"]["name"] for pod in self.pods()]
        if names:
            self.kubectl("delete", "pod", self.chance.choice(names), "--wait=false", *self.chance.choice(([], ["--force"])))

    def kill_in_a_pod(self, client):
        """The agent or a worker, whichever it meets."""
        inside = [pid for pid in sorted(self.cluster.processes(self.a_host())) if self.name_of(pid).startswith("ngb-")]
        if inside:
            os.kill(self.chance.choice(inside), signal.SIGKILL)

    def name_of(self, pid):
        try:
            return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
        except OSError:
            return ""  # it has ended

    def cut_a_node_off(self, client):
        host = self.a_host()
        host.down()
        time.sleep(self.chance.uniform(1, 25))
        host.up()

    def drain_a_node(self, client):
        name = self.a_host().name
        self.cluster.kubectl("drain", name, "--force", "--ignore-daemonsets", "--delete-emptydir-data")
        time.sleep(self.chance.uniform(0, 5))
        self.cluster.kubectl("uncordon", name)

    def power_a_node_off(self, client):
        host = self.a_host()
        self.cluster.power_off(host)
        time.sleep(self.chance.uniform(0, 15))
        self.cluster.start_node(host)

    def take_the_api_server_away(self, client):
        self.take_api_server_away()
        time.sleep(self.chance.uniform(0, 10))
        self.give_api_server_back()

    FAULTS = (kill_kubectl, kill_client, stop_client, delete_a_pod, kill_in_a_pod, cut_a_node_off, drain_a_node, power_a_node_off,
              take_the_api_server_away)

    def runTest(self):
        self.use_nodes("edge1", "edge2")
        self.slow(300)
        client = self.start("run", self.study)
        count = 2 if self.chance.random() < SECOND else 1
        drawn = [self.FAULTS[(self.number + i * self.chance.randrange(1, len(self.FAULTS))) % len(self.FAULTS)] for i in range(count)]
        for fault in drawn:
            wanted = self.chance.randrange(2 * PROCESSES)
            self.wait_until(lambda: client.poll() is not None or sum(self.recorded().values()) >= wanted)
            fault(self, client)
        output = client.communicate(timeout=PATIENCE_S)[0]
        for _ in range(TRIES):
            if client.returncode == 0:
                break
            client = self.start("run", self.study)
            output += client.communicate(timeout=PATIENCE_S)[0]
        print(f"{self.number:4} {' and '.join(fault.__name__ for fault in drawn)}", flush=True)
        self.assertEqual(client.returncode, 0, output)
        self.assert_recorded()
        self.assert_nothing_is_left()


class LongCut(kubernetes_test.OnARealCluster):
    """edge1 is back after ten minutes and edge2 after fourteen, when the run has given it up."""

    def name_of_namespace(self):
        return "long-cut"

    def back_after(self, minutes, host):
        time.sleep(max(0, self.cut_at + 60 * minutes - time.monotonic()))
        host.up()

    def runTest(self):
        first, second = self.hosts.all
        self.use_nodes(first.name, second.name)
        self.slow(20_000)  # the pods have work for the first four minutes of the cut
        client = self.start("run", self.study)
        self.wait_until(lambda: len(self.recorded()) == 2)
        self.cut_at = time.monotonic()
        for host in self.hosts.all:
            host.down()
        self.back_after(10, first)
        output = client.communicate(timeout=10 * 60)[0]
        print(output, flush=True)
        self.assertEqual(client.returncode, 3)
        self.assertEqual(self.recorded()[first.name], PROCESSES)
        self.assertIn("edge2: could not be reached for 10 min", output)
        self.assertIn("run the same command again to resume", output)
        self.back_after(14, second)
        done = self.ngb("run", self.study, timeout=10 * 60)
        print(done.stdout + done.stderr, flush=True)
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("another pod", output + done.stderr)
        self.assert_recorded()
        self.assert_nothing_is_left()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    parser.add_argument("--only", type=int, help="the number of the only run")
    parser.add_argument("--cut", action="store_true", help="cut both nodes off for ten minutes and more; takes a quarter of an hour")
    arguments = parser.parse_args()
    if arguments.cut:
        kubernetes_test.run_alone(LongCut())
    numbers = range(arguments.runs) if arguments.only is None else [arguments.only]
    print(f"seed {arguments.seed}, {len(numbers)} runs", flush=True)
    kubernetes_test.run_alone(*(PodChaos(arguments.seed, number) for number in numbers))


if __name__ == "__main__":
    main()
