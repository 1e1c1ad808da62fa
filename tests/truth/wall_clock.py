#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""T of `ngb run` against inferences that a plain loop counts in a time of a clock on the wall, over the same library and model.

    NGB_BIN=build/release/bin wall_clock.py [--seconds 60] [--turns 8] [--threads 1] [--allocator steady] [COMPILER …]

Three models at batch 1. Both sides take turns of SECONDS / TURNS each, in a fresh process on the same processors, first the
one and then the other, so that what the machine does befalls both. The ratio is the geometric mean of the turns' ratios with
its 95 % interval (Student's t of their logarithms). A/A is the loop's even turns against its odd ones. The processor time of an
inference is compared as well, which says something on a busy machine too. `--allocator default` leaves both to the C library, which
gives the outputs' memory back to the kernel or keeps it by accident. It needs the compilers' toolchains, and an idle machine:
the two must agree within 1 %."""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "bench"))
import toolchains  # noqa: E402

NGB = pathlib.Path(os.environ["NGB_BIN"]).resolve() / "ngb"
MODELS = {"resnet18": {}, "mobilenetv3_large_100": {}, "conv_block": {"width": 64, "depth": 1, "image_size": 56}}
OWNER = {"torchscript": "identity", "torch-compile": "identity"}  # whose toolchain a compiler uses
COMPILERS = ("onnxruntime", "openvino", "identity", "torchscript", "torch-compile")
T_975 = dict(enumerate((12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201), 1))  # by degrees of freedom
STEADY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(2**34), "MALLOC_TOP_PAD_": str(2**26)}


def counted(compiler, site, numpy_site, model, given, seconds):
    """(inferences, seconds, processor seconds) of the plain loop."""
    cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))[-given.threads:]))
    environment = {**os.environ, "PYTHONPATH": f"{site['site']}:{numpy_site}", "OMP_NUM_THREADS": str(given.threads),
                   **(STEADY if given.allocator == "steady" else {})}
    done = subprocess.run(["taskset", "-c", cpus, site["python"] or sys.executable, HERE / "plain_loop.py", compiler, model,
                           str(given.threads), str(seconds)], env=environment, capture_output=True, text=True, cwd=model.parent)
    if done.returncode != 0:
        raise SystemExit(f"{compiler}, {model.name}: the plain loop ended with {done.returncode}: {done.stderr}")
    return tuple(map(float, done.stdout.split()[-3:]))


def told_by(compiler, site, model, given, repetitions, number):
    """(T, processor seconds of an inference) of a study of one process."""
    study = model.parent / f"{model.stem}-{compiler}-{number}.json"
    study.write_text(json.dumps({
        "name": study.stem, "models": [{"zoo": {model.stem: MODELS[model.stem]} if MODELS[model.stem] else model.stem}], "compilers": [{compiler: {"version": site["version"]}}],
        "threads": given.threads, "processes": 1, "turns": 1, "repetitions": repetitions, "warm_up": 10, "min_repetition_ms": 0,
        "allocator": given.allocator, "reference": "none", "longer_look_s": 0, "timeouts": {"run_s": 3600},
        "disturbance": {"max_wait_percent": 100}, "output": str(study.with_suffix(""))}))
    done = subprocess.run([NGB, "run", study, "--no-report"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{compiler}, {model.name}: ngb run ended with {done.returncode}: {done.stdout}{done.stderr}")
    shown = subprocess.run([NGB, "show", study.with_suffix(""), "--json"], check=True, capture_output=True, text=True)
    cell, = json.loads(shown.stdout)["cells"]
    return tuple(cell["metrics"][name]["value"] for name in ("throughput_per_s", "cpu_per_inference_s"))


def ratio_of(ratios):
    """The geometric mean of at least two ratios, and its 95 % interval."""
    logs = [math.log(each) for each in ratios]
    half = T_975[len(logs) - 1] * statistics.stdev(logs) / math.sqrt(len(logs))
    mean = statistics.mean(logs)
    return tuple(map(math.exp, (mean, mean - half, mean + half)))


def row(compiler, sites, model, given):
    site = sites[OWNER.get(compiler, compiler)]
    numpy_site = next(each["site"] for each in sites.values() if (pathlib.Path(each["site"]) / "numpy").is_dir())
    turn_s = given.seconds / given.turns
    count, time, _ = counted(compiler, site, numpy_site, model, given, 1)
    loop, told = [], []
    for number in range(given.turns):
        repetitions = max(6, round(count / time * turn_s))
        sides = [lambda: loop.append(counted(compiler, site, numpy_site, model, given, turn_s)),
                 lambda: told.append(told_by(compiler, site, model, given, repetitions, number))]
        for measure in sides if number % 2 == 0 else reversed(sides):
            measure()
    speeds = [counted / took for counted, took, _ in loop]
    ratio, low, high = ratio_of(speed / of_loop for (speed, _), of_loop in zip(told, speeds))
    even, odd = (statistics.geometric_mean(speeds[begin::2]) for begin in (0, 1))
    busy, _, _ = ratio_of(cpu_s / (of_loop / inferences) for (_, cpu_s), (inferences, _, of_loop) in zip(told, loop))
    return (f"| {compiler} | {model.stem} | {statistics.median(each for each, _ in told):.2f} | {statistics.median(speeds):.2f} | "
            f"{ratio:.4f} [{low:.4f}, {high:.4f}] | {even / odd:.4f} | {busy:.4f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compilers", nargs="*", metavar="COMPILER", choices=[[], *COMPILERS])
    parser.add_argument("--models", nargs="*", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--turns", type=int, default=8, choices=range(2, 13))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--allocator", choices=("default", "steady"), default="steady")
    given = parser.parse_args()
    sites = toolchains.newest(NGB)
    print("| compiler | model | T | counted/s | T / counted [95 %] | A/A | processor time |\n" + "| --- " * 7 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name in given.models:
            parameters = MODELS[name]
            model = pathlib.Path(folder) / f"{name}.onnx"
            given_parameters = ["--parameters", json.dumps(parameters)] if parameters else []
            subprocess.run([NGB, "models", "write", name, "--batch", "1", *given_parameters, "-o", model], check=True,
                           stdout=subprocess.DEVNULL)
            for compiler in given.compilers or COMPILERS:
                print(row(compiler, sites, model, given), flush=True)


if __name__ == "__main__":
    main()
