# SPDX-License-Identifier: Apache-2.0
"""Where releases of a compiler differ, on a machine on which other programs never stop.

    python releases.py --build BUILD --versions 1.24.4,1.28.0 --models vit_tiny_patch16_224 [--compiler onnxruntime] [--rounds 2]

prints the processor time of an inference for each model and release, the median of 20 plain inferences in each round, the releases
in turns; then, for each model, kernels and their time by kind of operator, the sum of the medians of 15 profiled inferences: a kernel
is so short that most of its calls are not interrupted. Each release is a toolchain: ngb toolchain install onnxruntime@1.28.0."""
import argparse
import collections
import statistics
import sys
import tempfile

import attributed

INFERENCES, PROFILES = 10, 15


def busy_ms(told):
    return statistics.median(busy for each in told["rounds"] for key in ("plain", "again") for _, busy in each[key]) / 1e6


def by_kind(told):
    """Return {kind of kernel: (number, milliseconds)} of an inference."""
    calls = collections.defaultdict(list)
    for each in told["rounds"]:
        for place, kernel in enumerate(each["kernels"]):
            calls[place, kernel["kind"]].append(kernel["ns"])
    sums = collections.defaultdict(lambda: (0, 0.0))
    for (_, kind), times in calls.items():
        number, ms = sums[kind]
        sums[kind] = number + 1, ms + statistics.median(times) / 1e6
    return sums


def asked(bench, given, path, version, **size):
    told = bench.profile(given.compiler, *path, version=version, **size)
    if "failure" in told:
        raise SystemExit(f"{given.compiler} {version}: {told['failure']['message']}")
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--versions", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--compiler", default="onnxruntime")
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    versions, models = given.versions.split(","), given.models.split(",")
    with tempfile.TemporaryDirectory(prefix="ngb-releases-") as folder:
        bench = attributed.Bench(given.build, folder)
        sys.path[:0] = [bench.identity[1]]
        paths = {model: bench.write(model) for model in models}
        print(f"| processor time of an inference, ms | {' | '.join(versions)} |\n| --- |{' ---: |' * len(versions)}")
        for model in models:
            times = collections.defaultdict(list)
            for _ in range(given.rounds):
                for version in versions:
                    times[version].append(busy_ms(asked(bench, given, paths[model], version, rounds=1, inferences=INFERENCES)))
            print(f"| {model} | " + " | ".join(", ".join(f"{each:.2f}" for each in times[version]) for version in versions) + " |",
                  flush=True)
        for model in models:
            sums = {version: by_kind(asked(bench, given, paths[model], version, rounds=PROFILES, inferences=1))
                    for version in versions}
            print(f"\n| {model}: kernels, ms | {' | '.join(versions)} |\n| --- |{' ---: |' * len(versions)}")
            for kind in sorted({kind for each in sums.values() for kind in each},
                               key=lambda kind: -max(each[kind][1] for each in sums.values())):
                print(f"| {kind} | " + " | ".join("{}, {:.3f}".format(*sums[version][kind]) for version in versions) + " |", flush=True)


if __name__ == "__main__":
    main()
