#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is a compiler handicapped by our graph? Throughput of our files over that of the same modules, weights and all, written
by torch.onnx.export, the better of its exporters; ONNX Runtime and OpenVINO on one thread, all files in one process,
called in turn in shuffled order.

    export_throughput.py WRITE_RECIPE [--only NAME] [--rounds N]"""
import argparse
import os
import random
import statistics
import tempfile
import time
from pathlib import Path

import exported
import onnxruntime
import openvino
import real_modules as real

LIMIT = 0.98


def onnxruntime_call(path, x):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(["output"], {"input": x})


def openvino_call(path, x):
    options = {"INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": "1", "INFERENCE_NUM_THREADS": "1",
               "PERFORMANCE_HINT": "LATENCY"}
    request = openvino.Core().compile_model(str(path), "CPU", options).create_infer_request()
    tensor = openvino.Tensor(x, shared_memory=True)
    return lambda: request.infer([tensor], share_outputs=True)


def medians_s(calls, rounds):
    """Median seconds of each call."""
    times = {name: [] for name in calls}
    for call in calls.values():
        call()
    for number in range(rounds):
        for name in random.Random(number).sample(sorted(calls), len(calls)):
            start = time.perf_counter()
            calls[name]()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("write_recipe", type=Path)
    parser.add_argument("--only")
    parser.add_argument("--rounds", type=int, default=11)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"{'model':<26}{'batch':>6}  " + "".join(f"{f'{c}: ours ms':>22}{'ratio':>7} (of)          "
                                                  for c in ("onnxruntime", "openvino")))
    below = 0
    for name in exported.MODELS:
        if arguments.only not in (None, name):
            continue
        for batch in (1, 8):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "ours.onnx"
                told = real.write(arguments.write_recipe, name, {}, 1, batch, path)
                module, x = real.module_of(told, path), real.input_of(path, 1)
                files = {"ours": path} | {which: exported.export(module, x, Path(folder) / f"{which}.onnx", which)
                                          for which in exported.EXPORTERS}
                line = f"{name:<26}{batch:>6}  "
                for make in (onnxruntime_call, openvino_call):
                    rounds = arguments.rounds if batch == 1 else max(3, arguments.rounds // 2)
                    seconds = medians_s({which: make(file, x) for which, file in files.items()}, rounds)
                    best = min(exported.EXPORTERS, key=seconds.get)
                    ratio = seconds[best] / seconds["ours"]
                    below += ratio < LIMIT
                    line += f"{seconds['ours'] * 1e3:22.2f}{ratio:7.3f} ({best:<11})  "
                print(line, flush=True)
    print(f"{below} below {LIMIT}")


main()
