#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the worker tell the same time as a bare loop over the same library, and as OpenVINO's benchmark_app?

    agreement.py BUILD_DIR --toolchain onnxruntime=SITE --toolchain openvino=SITE [--numpy SITE] [--pairs N]

benchmark_app needs numpy, which OpenVINO's toolchain does without: SITE of any toolchain that has it.

ResNet-50, batch 1, one thread. Fresh processes, interleaved in shuffled order: the worker, the bare loop twice (A and B:
the bare loop against itself shows what the machine can resolve), and benchmark_app where its Python package runs.
Prints, per compiler, the ratio of the medians and of the minima over all repetitions."""

import argparse
import json
import os
import pathlib
import random
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import zlib

REPETITIONS, WARM_UP = 20, 3


def frame(payload):
    return struct.pack("<II", len(payload), zlib.crc32(payload)) + payload


def worker_ms(build, compiler, site, model):
    """One fresh ngb-worker, driven as the agent drives it: request on 3, result on 4, progress page on 5."""
    request = {
        "task": "measure", "cell_id": "agreement", "process_index": 0, "attempt": 1,
        "plugin_path": str(build / f"lib/ngraphbench/compilers/{compiler}/{compiler}.so"),
        "model_path": str(model),
        "model": {"id": "m", "hash": "h", "label": "resnet50", "batch": 1, "recipe_json": "",
                  "inputs": [{"name": "input", "type": "f32", "shape": [1, 3, 224, 224]}]},
        "compiler": {"name": compiler, "version": "", "toolchain_dir": str(site), "host": "native", "python": "",
                     "python_path": "", "precision": "f32", "threads": 1, "options": []},
        "protocol": {"processes": 1, "repetitions": REPETITIONS, "fixed_warm_up": WARM_UP,
                     "min_repetition_ns": 1_000_000, "max_transient_ns": 30_000_000_000, "stop_when": None,
                     "absolute_tolerance": 1e-4, "relative_tolerance": 1e-3, "seed": 1,
                     "compile_timeout_ns": 10**12, "run_timeout_ns": 10**12, "memory_limit_bytes": None, "attempts": 1},
        "reference_path": "", "reference_name": "none", "cache_dir": "",
    }
    request_read, request_write = os.pipe()
    result_read, result_write = os.pipe()
    page = os.memfd_create("progress")
    os.truncate(page, 4096)
    sources = (request_read, result_write, page)

    def place():
        high = [os.dup2(fd, 100 + i) for i, fd in enumerate(sources)]
        for i, fd in enumerate(high):
            os.dup2(fd, 3 + i)

    worker = subprocess.Popen([build / "bin/ngb-worker"], preexec_fn=place, pass_fds=(3, 4, 5),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(request_read)
    os.close(result_write)
    os.write(request_write, frame(json.dumps(request).encode()))
    os.close(request_write)
    with os.fdopen(result_read, "rb") as stream:
        answer = stream.read()
    worker.wait()
    os.close(page)
    result = json.loads(answer[8:])
    if result["failure"]:
        raise SystemExit(f"{compiler}: {result['failure']}")
    return [wall_ns / inferences / 1e6 for wall_ns, inferences, is_warm_up in result["repetitions"] if not is_warm_up]


LIBRARIES = {"onnxruntime": "onnxruntime/capi/libonnxruntime.so*", "openvino": "openvino/libs/libopenvino_c.so*"}


def bare_ms(build, compiler, site, model):
    library = next(pathlib.Path(site).glob(LIBRARIES[compiler]))
    cpu = str(max(os.sched_getaffinity(0)))
    command = ["taskset", "-c", cpu, build / "bench/bare_loop", compiler, library, model, "1", str(REPETITIONS),
               str(WARM_UP)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(ns) / 1e6 for ns in done.stdout.split()]


def benchmark_app_ms(site, numpy_site, model, report_folder):
    command = [sys.executable, "-c", "from openvino.tools.benchmark.main import main; main()", "-m", model, "-d", "CPU",
               "-hint", "none", "-nstreams", "1", "-nthreads", "1", "-api", "sync", "-infer_precision", "f32",
               "-niter", str(REPETITIONS), "-pin", "NO"]
    cpu = str(max(os.sched_getaffinity(0)))
    done = subprocess.run(["taskset", "-c", cpu, *command], capture_output=True, text=True, cwd=report_folder,
                          env={**os.environ, "PYTHONPATH": f"{site}:{numpy_site}"})
    found = {key: re.search(rf"{key}:\s+([\d.]+) ms", done.stdout) for key in ("Median", "Min")}
    if not all(found.values()):
        return None
    return float(found["Median"][1]), float(found["Min"][1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--toolchain", action="append", default=[], metavar="COMPILER=SITE")
    parser.add_argument("--numpy", default="", metavar="SITE")
    parser.add_argument("--pairs", type=int, default=10)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    with tempfile.TemporaryDirectory() as name:
        model = pathlib.Path(name) / "resnet50.onnx"
        subprocess.run([build / "bin/ngb", "models", "write", "resnet50", "-o", model], check=True)
        print(f"{'':<34}{'median':>8}{'minimum':>9}")
        for toolchain in arguments.toolchain:
            compiler, _, site = toolchain.partition("=")
            samples = {"worker": [], "bare A": [], "bare B": []}
            medians, minima = [], []
            for number in range(arguments.pairs):
                order = ["worker", "bare A", "bare B"] + (["benchmark_app"] if compiler == "openvino" else [])
                random.Random(number).shuffle(order)
                for who in order:
                    if who == "worker":
                        samples[who].append(worker_ms(build, compiler, site, model))
                    elif who == "benchmark_app":
                        told = benchmark_app_ms(site, arguments.numpy, model, name)
                        if told:
                            medians.append(told[0])
                            minima.append(told[1])
                    else:
                        samples[who].append(bare_ms(build, compiler, site, model))
            median = {who: statistics.median(statistics.median(p) for p in runs) for who, runs in samples.items()}
            minimum = {who: min(min(p) for p in runs) for who, runs in samples.items()}
            print(f"{compiler}: worker {median['worker']:.2f} ms median, {minimum['worker']:.2f} ms minimum")
            for a, b in (("worker", "bare A"), ("worker", "bare B"), ("bare A", "bare B")):
                print(f"  {a + ' / ' + b:<32}{median[a] / median[b]:8.4f}{minimum[a] / minimum[b]:9.4f}")
            if medians:
                print(f"  {'worker / benchmark_app':<32}{median['worker'] / statistics.median(medians):8.4f}"
                      f"{minimum['worker'] / min(minima):9.4f}")
            elif compiler == "openvino":
                print("  benchmark_app did not run: it needs numpy: --numpy")


if __name__ == "__main__":
    main()
