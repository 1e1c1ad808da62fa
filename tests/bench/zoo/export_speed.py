#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds and memory to have a model's ONNX file: ngb models write, timm + torch.onnx.export, and a plain write of as
many bytes. Whole processes, interleaved.

    export_speed.py NGB [--rounds N] [--only NAME]"""
import argparse
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import exported

INCUMBENT = """
import sys, warnings
warnings.simplefilter("ignore")
sys.path += sys.argv[3:]
import timm, torch
with torch.no_grad():
    torch.onnx.export(timm.create_model(sys.argv[1]).eval(), (torch.rand(1, 3, 224, 224),), sys.argv[2],
                      opset_version=20, dynamo=False)
"""
PLAIN = """
import sys
block = bytes(1 << 20)
with open(sys.argv[1], "wb", buffering=0) as file:
    left = int(sys.argv[2])
    while left > 0:
        left -= file.write(block[:min(left, len(block))])
"""


# A small process in between: the peak memory that the kernel tells of a child begins with that of its parent.
WATCH = """
import os, sys, time
start = time.monotonic()
_, status, usage = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ), 0)
print(time.monotonic() - start, usage.ru_maxrss / 1e3, status)
"""


def run(words):
    """Wall seconds and peak memory in MB (that of the watching process, about 10, at least)."""
    done = subprocess.run([sys.executable, "-S", "-c", WATCH, *words], capture_output=True, text=True, check=True)
    wall_s, peak_mb, status = done.stdout.splitlines()[-1].split()
    if status != "0":
        raise SystemExit(f"{words[:4]} failed: {done.stderr[-500:]}")
    return float(wall_s), float(peak_mb)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ngb")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    sites = [path for path in sys.path if path.endswith("/site")]
    totals = {"ours": 0.0, "export": 0.0}
    print(f"{'model':<26}{'MB':>7}{'ours s':>9}{'MB peak':>9}{'export s':>10}{'MB peak':>9}{'quicker':>9}"
          f"{'plain write s':>15}{'ours/plain':>12}")
    for name in exported.MODELS:
        if arguments.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/model.onnx"
            subprocess.run([arguments.ngb, "models", "write", name, "-o", path], check=True)
            size = Path(path).stat().st_size
            commands = {"ours": [arguments.ngb, "models", "write", name, "-o", path],
                        "export": [sys.executable, "-c", INCUMBENT, name, path, *sites],
                        "plain": [sys.executable, "-c", PLAIN, path, str(size)]}
            told = {which: [] for which in commands}
            for number in range(arguments.rounds):
                for which in random.Random(number).sample(sorted(commands), len(commands)):
                    Path(path).unlink(missing_ok=True)
                    told[which].append(run(commands[which]))
            start_up = statistics.median(run([sys.executable, "-c", PLAIN, path, "0"])[0] for _ in range(3))
        wall = {which: statistics.median(seconds for seconds, _ in rows) for which, rows in told.items()}
        peak = {which: max(mb for _, mb in rows) for which, rows in told.items()}
        plain = wall["plain"] - start_up
        for which in totals:
            totals[which] += wall[which]
        print(f"{name:<26}{size / 1e6:7.1f}{wall['ours']:9.3f}{peak['ours']:9.1f}{wall['export']:10.2f}"
              f"{peak['export']:9.0f}{wall['export'] / wall['ours']:8.0f}x{plain:15.3f}{wall['ours'] / plain:12.2f}",
              flush=True)
    print(f"all: {totals['ours']:.2f} s, {totals['export']:.1f} s, {totals['export'] / totals['ours']:.0f}x quicker")


main()
