#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""T of `ngb run` against inferences that a plain loop counts in a time of a clock on the wall, over the same library and model.

    NGB_BIN=build/release/bin wall_clock.py [--seconds 60] [--turns 6] [--threads 1] [--allocator steady] [COMPILER …]

Three models at batch 1. Both sides take turns of SECONDS / TURNS each, in a fresh process on the same processors, so that what
the machine does befalls both. A/A is the loop's even turns against its odd ones. The processor time of an inference is
compared as well, which says something on a busy machine too. `--allocator default` leaves both to the C library, which
gives the outputs' memory back to the kernel or keeps it by accident. It needs the compilers' toolchains, and an idle machine:
the two must agree within 1 %."""

import argparse
import json
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


def row(compiler, sites, model, given):
    site = sites[OWNER.get(compiler, compiler)]
    numpy_site = next(each["site"] for each in sites.values() if (pathlib.Path(each["site"]) / "numpy").is_dir())
    turn_s = given.seconds / given.turns
    loop, told = [], []
    for number in range(given.turns):
        loop.append(counted(compiler, site, numpy_site, model, given, turn_s))
        repetitions = max(6, round(loop[0][0] * turn_s / loop[0][1]))
        told.append(told_by(compiler, site, model, given, repetitions, number))
    counts, times, busy = map(sum, zip(*loop))
    speed, cpu_s = map(statistics.mean, zip(*told))
    even, odd = (statistics.mean(count / time for count, time, _ in loop[begin::2]) for begin in (0, 1))
    return (f"| {compiler} | {model.stem} | {speed:.2f} | {counts / times:.2f} | {speed / (counts / times):.4f} | "
            f"{even / odd:.4f} | {cpu_s / (busy / counts):.4f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compilers", nargs="*", metavar="COMPILER", choices=[[], *COMPILERS])
    parser.add_argument("--models", nargs="*", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--turns", type=int, default=6, help="at least 2")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--allocator", choices=("default", "steady"), default="steady")
    given = parser.parse_args()
    sites = toolchains.newest(NGB)
    print("| compiler | model | T | counted/s | T / counted | A/A | processor time |\n" + "| --- " * 7 + "|")
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
