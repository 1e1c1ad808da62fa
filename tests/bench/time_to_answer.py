#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds from command to table: ResNet-50, batch 1, one thread, 20 repetitions in 5 fresh processes.

    time_to_answer.py NGB [--rounds N]

The reference outputs come from an earlier run (as they do for every study but the first). Each round runs every
compiler once, in shuffled order, into a fresh results folder."""

import argparse
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

STUDY = """\
name: answer
models:
  - zoo: resnet50
compilers:
  - {compiler}
batch_sizes: [1]
threads: 1
protocol: paper
processes: 5
repetitions: 4
output: {output}
"""
LIMIT_S = {"onnxruntime": 6.0, "openvino": 6.0, "identity": 12.0}


def run_once(ngb, folder, compiler, number):
    study = folder / f"{compiler}{number}.yaml"
    study.write_text(STUDY.format(compiler=compiler, output=folder / f"results-{compiler}{number}"))
    start = time.monotonic()
    done = subprocess.run([ngb, "run", study], capture_output=True, text=True)
    wall_s = time.monotonic() - start
    if done.returncode != 0:
        raise SystemExit(f"{compiler}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return wall_s


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ngb", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    walls = {compiler: [] for compiler in LIMIT_S}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run_once(arguments.ngb, folder, "identity", "-warm")  # leaves the reference outputs behind
        for number in range(arguments.rounds):
            for compiler in random.Random(number).sample(sorted(LIMIT_S), len(LIMIT_S)):
                walls[compiler].append(run_once(arguments.ngb, folder, compiler, number))
    print(f"{'compiler':<14}{'min s':>8}{'median s':>10}{'max s':>8}{'limit s':>9}")
    for compiler, seconds in walls.items():
        median = statistics.median(seconds)
        print(f"{compiler:<14}{min(seconds):8.2f}{median:10.2f}{max(seconds):8.2f}{LIMIT_S[compiler]:9.1f}"
              f"  {'within' if median <= LIMIT_S[compiler] else 'OVER'}")


if __name__ == "__main__":
    main()
