#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is a compiler handicapped by our graph? Throughput of our files over that of the same modules, weights and all, written
by torch.onnx.export, the better of its exporters; ONNX Runtime and OpenVINO on one thread. Each process loads all files, in
an order of its own (where memory lies decides some percent), and calls them in turn in shuffled order.

    export_throughput.py WRITE_RECIPE [--only NAME] [--batch N] [--processes N] [--rounds N]"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMPILERS = ("onnxruntime", "openvino")
LIMIT = 0.98


def onnxruntime_call(path, x):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(["output"], {"input": x})


def openvino_call(path, x):
    import openvino

    options = {"INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": "1", "INFERENCE_NUM_THREADS": "1",
               "PERFORMANCE_HINT": "LATENCY"}
    request = openvino.Core().compile_model(str(path), "CPU", options).create_infer_request()
    tensor = openvino.Tensor(x, shared_memory=True)
    return lambda: request.infer([tensor], share_outputs=True)


def measure(compiler, rounds, number, input_file, files):
    """In a process of its own: prints the seconds of every call of every file, as JSON."""
    import numpy as np

    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    make = {"onnxruntime": onnxruntime_call, "openvino": openvino_call}[compiler]
    x = np.load(input_file)
    order = random.Random(number)
    calls = {file: make(file, x) for file in order.sample(files, len(files))}
    times = {file: [] for file in files}
    for call in calls.values():
        call()
    for _ in range(rounds):
        for file in order.sample(files, len(files)):
            start = time.perf_counter()
            calls[file]()
            times[file].append(time.perf_counter() - start)
    print(json.dumps(times))


def medians_s(compiler, processes, rounds, input_file, files):
    """Median seconds of a call of each file."""
    times = {file: [] for file in files}
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for number in range(processes):
        command = [sys.executable, __file__, "--measure", compiler, str(rounds), str(number), str(input_file), *files]
        done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
        for file, seconds in json.loads(done.stdout).items():
            times[file] += seconds
    return {file: statistics.median(seconds) for file, seconds in times.items()}


def main():
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6:])
        return
    import exported
    import numpy as np
    import real_modules as real

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("write_recipe", type=Path)
    parser.add_argument("--only")
    parser.add_argument("--batch", type=int, help="instead of 1 and 8")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5, help="calls of each file in a process (batch 8: half of it)")
    arguments = parser.parse_args()
    print(f"{'model':<26}{'batch':>6}  " + "".join(f"{f'{c}: ours ms':>22}{'ratio':>7} (of)          " for c in COMPILERS))
    below = 0
    for name in exported.MODELS:
        if arguments.only not in (None, name):
            continue
        for batch in (arguments.batch,) if arguments.batch else (1, 8):
            with tempfile.TemporaryDirectory() as folder:
                path, input_file = Path(folder) / "ours.onnx", Path(folder) / "input.npy"
                told = real.write(arguments.write_recipe, name, {}, 1, batch, path)
                module, x = real.module_of(told, path), real.input_of(path, 1)
                np.save(input_file, x)
                files = {str(exported.export(module, x, Path(folder) / f"{which}.onnx", which)): which
                         for which in exported.EXPORTERS}
                line = f"{name:<26}{batch:>6}  "
                for compiler in COMPILERS:
                    rounds = arguments.rounds if batch == 1 else arguments.rounds // 2
                    seconds = medians_s(compiler, arguments.processes, rounds, input_file, [str(path), *files])
                    best = min(files, key=seconds.get)
                    ratio = seconds[best] / seconds[str(path)]
                    below += ratio < LIMIT
                    line += f"{seconds[str(path)] * 1e3:22.2f}{ratio:7.3f} ({files[best]:<11})  "
                print(line, flush=True)
    print(f"{below} below {LIMIT}")


main()
