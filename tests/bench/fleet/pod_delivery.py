#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pod_delivery.py [--toolchain NAME] [--rounds N]: delivery to a pod through kubectl exec, beside kubectl cp.

On a real Kubernetes (make kubernetes-cluster), with the toolchain installed here. In turns: the time from the command `ngb run`
until the agent in an empty pod receives its job, every file's hash checked; and `kubectl cp` of what was delivered. Prints the
throughput of the first over that of the second."""

import argparse
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/cluster"))
import kubernetes_test  # noqa: E402
from ngb_program import BIN  # noqa: E402

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: bench-0, namespace: bench}
spec:
  containers:
    - name: device
      image: localhost/debian:1
      imagePullPolicy: Never
      command: [/bin/sleep, infinity]
      volumeMounts: [{name: data, mountPath: /ngraphbench}]
  volumes: [{name: data, emptyDir: {}}]
"""
STUDY = """\
name: delivery
models: [{{zoo: {{conv_block: {{width: 8, image_size: 8}}}}}}]
compilers: [{compiler}]
batch_sizes: [1]
reference: none
processes: 1
repetitions: 1
devices: [pod: {{kubernetes: {{pod: bench-0}}, folder: /ngraphbench/data}}]
"""


class Delivery(kubernetes_test.OnARealCluster):
    toolchain, rounds = "openvino", 3

    def name_of_namespace(self):
        return "bench"

    def delivered(self):
        """Seconds until the agent in the pod has its job, with everything that it needs."""
        shutil.rmtree(self.disk / "data", ignore_errors=True)
        shutil.rmtree(self.folder / "results", ignore_errors=True)
        began = time.monotonic()
        with (self.folder / "client.log").open("wb") as log:
            client = subprocess.Popen([BIN / "ngb", "run", self.study, "-o", self.folder / "results"], env=self.everything,
                                      stdout=log, stderr=log)
            while not list(self.disk.glob("data/runs/*/journal*")):
                self.assertIsNone(client.poll(), (self.folder / "client.log").read_text())
                time.sleep(0.01)
            took_s = time.monotonic() - began
            client.send_signal(signal.SIGINT)
            client.wait()
        return took_s

    def copied(self, staged):
        shutil.rmtree(self.disk / "copied", ignore_errors=True)
        began = time.monotonic()
        subprocess.run(["kubectl", "cp", staged, "bench-0:/ngraphbench/copied"], env=self.everything, check=True, capture_output=True)
        took_s = time.monotonic() - began
        self.assertEqual(self.size_of(self.disk / "copied"), self.size_of(staged))
        return took_s

    def size_of(self, folder):
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())

    def runTest(self):
        self.everything = {**os.environ, "KUBECONFIG": self.environment["KUBECONFIG"], "PATH": self.environment["PATH"]}
        self.cluster.kubectl("apply", "-f", "-", input=POD)
        self.cluster.kubectl("-n", "bench", "wait", "--for=condition=Ready", "pod/bench-0", "--timeout=60s")
        self.disk, = self.cluster.folder.glob("*/kubelet/pods/*/volumes/kubernetes.io~empty-dir/data")
        self.study = self.write("study.yaml", STUDY.format(compiler=self.toolchain))
        self.delivered()
        staged = self.folder / "staged"
        shutil.copytree(self.disk / "data", staged, ignore=lambda _, names: {"files", "runs", "lock"} & set(names), symlinks=True)
        ours_s, theirs_s = [], []
        for _ in range(self.rounds):
            theirs_s.append(self.copied(staged))
            ours_s.append(self.delivered())
        ratios = [theirs / ours for theirs, ours in zip(theirs_s, ours_s)]
        print(f"{self.size_of(staged) / 1e6:.0f} MB with {self.toolchain}: delivered in {statistics.median(ours_s):.1f} s "
              f"({min(ours_s):.1f} to {max(ours_s):.1f}), kubectl cp {statistics.median(theirs_s):.1f} s ({min(theirs_s):.1f} to "
              f"{max(theirs_s):.1f}): ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toolchain", default=Delivery.toolchain)
    parser.add_argument("--rounds", type=int, default=Delivery.rounds)
    given = parser.parse_args()
    Delivery.toolchain, Delivery.rounds = given.toolchain, given.rounds
    kubernetes_test.run_alone(Delivery())


if __name__ == "__main__":
    main()
