#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pods.py [--rounds N] [--process-ms N]: how long a study in pods takes, on a real Kubernetes of two nodes (make kubernetes-cluster).

Prints, of N rounds in turns: seconds from the command to the first recorded process, and the wall time of a study on both nodes
over that of one node. Its processes wait 0.3 s each (or
--process-ms) and compute little, since nodes and control plane share this machine's processors."""

import argparse
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/cluster"))
import kubernetes_test  # noqa: E402
from fleet import PATIENCE_S  # noqa: E402


class Pods(kubernetes_test.OnARealCluster):
    rounds = 3
    process_ms = 300

    def name_of_namespace(self):
        return "bench"

    def study_on(self, *nodes):
        """Runs a study; returns the seconds until its first process was recorded, and until its end."""
        self.use_nodes(*nodes)
        self.slow(self.process_ms)
        self.results = self.folder / "results" / "-".join((*nodes, str(time.monotonic_ns())))
        began = time.monotonic()
        client = self.start("run", self.study, "-o", self.results, "--no-report")
        self.wait_until(lambda: sum(self.recorded().values()) >= 1)
        first_s = time.monotonic() - began
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 0, output)
        return first_s, time.monotonic() - began

    def runTest(self):
        first, one, two = [], [], []
        for _ in range(self.rounds):
            first_s, end_s = self.study_on("edge1")
            first.append(first_s)
            one.append(end_s)
            two.append(self.study_on("edge1", "edge2")[1])
        ratios = [both / alone for alone, both in zip(one, two)]
        print(f"first recorded process after {statistics.median(first):.1f} s ({min(first):.1f} to {max(first):.1f})")
        print(f"one node {statistics.median(one):.1f} s, two nodes {statistics.median(two):.1f} s, ratio "
              f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--process-ms", type=int, default=Pods.process_ms)
    given = parser.parse_args()
    Pods.rounds, Pods.process_ms = given.rounds, given.process_ms
    kubernetes_test.run_alone(Pods())


if __name__ == "__main__":
    main()
