#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the worker tell the same time as a bare loop over the same library, or as the library's own benchmark?

    agreement.py BUILD_DIR --toolchain COMPILER=SITE … [--numpy SITE] [--batch N …] [--pairs N]

COMPILER is onnxruntime, openvino, xla (each beside a bare loop; openvino beside benchmark_app too) or iree (beside
iree-benchmark-module). benchmark_app needs numpy, which OpenVINO's toolchain does without: SITE of any that has it.

ResNet-50, one thread. Fresh processes, interleaved in shuffled order: the worker, and the other one twice (A and B: the
other one against itself shows what the machine can resolve). Prints, per compiler and batch size, the ratio of the
medians and of the minima over all repetitions."""

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
LIBRARIES = {"onnxruntime": "onnxruntime/capi/libonnxruntime.so*", "openvino": "openvino/libs/libopenvino_c.so*",
             "xla": "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"}
IREE_FLAGS = ["--iree-opt-level=O3", "--iree-opt-data-tiling=false"]  # as the adaptor's defaults are
CPU = str(max(os.sched_getaffinity(0)))


def frame(payload):
    return struct.pack("<II", len(payload), zlib.crc32(payload)) + payload


class Toolchain:
    def __init__(self, build, compiler, site):
        self.build, self.compiler, self.site = build, compiler, pathlib.Path(site).resolve()
        self.folder = build / f"lib/ngraphbench/compilers/{compiler}"
        self.host = json.loads((self.folder / "compiler.json").read_text())["host"]
        manifest = self.site.parent / "manifest.json"
        self.python = json.loads(manifest.read_text())["python"] if manifest.exists() else sys.executable

    def environment(self, *paths):
        all_paths = [*paths, self.build / "lib/ngraphbench/python", self.site]
        return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, all_paths))}

    def run_python(self, folder, code, *arguments):
        """In the toolchain's Python, beside the modules of a folder of the compiler's."""
        subprocess.run([self.python, "-c", code, *map(str, arguments)], env=self.environment(folder), check=True,
                       stdout=subprocess.DEVNULL)


def worker_ms(toolchain, model, batch):
    """One fresh worker, driven as the agent drives it: request on 3, result on 4, progress page on 5."""
    is_native = toolchain.host == "native"
    request = {
        "task": "measure", "cell_id": "agreement", "process_index": 0, "attempt": 1,
        "plugin_path": str(toolchain.folder / f"{toolchain.compiler}.so") if is_native else "",
        "model_path": str(model),
        "model": {"id": "m", "hash": "h", "label": "resnet50", "batch": batch, "recipe_json": "", "path": str(model),
                  "inputs": [{"name": "input", "type": "f32", "shape": [batch, 3, 224, 224]}]},
        "compiler": {"name": toolchain.compiler, "version": "", "toolchain_dir": str(toolchain.site),
                     "host": toolchain.host, "python": toolchain.python,
                     "python_path": "" if is_native else str(toolchain.site), "precision": "f32", "threads": 1,
                     "options": []},
        "protocol": {"processes": 1, "repetitions": REPETITIONS, "fixed_warm_up": WARM_UP,
                     "min_repetition_ns": 1_000_000, "max_transient_ns": 30_000_000_000, "stop_when": None,
                     "absolute_tolerance": 1e-4, "relative_tolerance": 1e-3, "seed": 1,
                     "compile_timeout_ns": 10**12, "run_timeout_ns": 10**12, "memory_limit_bytes": None, "attempts": 1},
        "reference_path": "", "reference_name": "none", "cache_dir": "",
    }
    command = [toolchain.build / "bin/ngb-worker"] if is_native else \
        [toolchain.python, "-m", "ngraphbench.worker", "--compiler-dir", toolchain.folder]
    request_read, request_write = os.pipe()
    result_read, result_write = os.pipe()
    page = os.memfd_create("progress")
    os.truncate(page, 4096)
    sources = (request_read, result_write, page)

    def place():
        high = [os.dup2(fd, 100 + i) for i, fd in enumerate(sources)]
        for i, fd in enumerate(high):
            os.dup2(fd, 3 + i)

    worker = subprocess.Popen(command, preexec_fn=place, pass_fds=(3, 4, 5), cwd=model.parent,
                              env=os.environ if is_native else toolchain.environment(),
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
        raise SystemExit(f"{toolchain.compiler}: {result['failure']}")
    return [wall_ns / inferences / 1e6 for wall_ns, inferences, is_warm_up in result["repetitions"] if not is_warm_up]


def bare_ms(toolchain, model, batch):
    library = next(toolchain.site.glob(LIBRARIES[toolchain.compiler]))
    program, more = ("bare_pjrt_loop", [f"{batch},3,224,224"]) if toolchain.compiler == "xla" else ("bare_loop", [])
    command = ["taskset", "-c", CPU, toolchain.build / "bench" / program, toolchain.compiler, library, model, "1",
               str(REPETITIONS), str(WARM_UP), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(ns) / 1e6 for ns in done.stdout.split()]


def iree_benchmark_ms(toolchain, program, batch):
    """One iteration for each of its repetitions: the time of one invocation, outputs dropped."""
    command = ["taskset", "-c", CPU, toolchain.site / "iree/_runtime_libs/iree-benchmark-module",
               f"--module={program}", "--function=main", "--device=local-sync", f"--input={batch}x3x224x224xf32=0.5",
               "--benchmark_min_time=1x", f"--benchmark_repetitions={WARM_UP + REPETITIONS}", "--benchmark_format=json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    runs = [run for run in json.loads(done.stdout)["benchmarks"] if run["run_type"] == "iteration"]
    unit_ms = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
    return [run["real_time"] * unit_ms[run["time_unit"]] for run in runs[WARM_UP:]]


def program_for_other(toolchain, model, batch):
    """What the other loop runs: the model itself, or what our own files make of it."""
    shape = [batch, 3, 224, 224]
    if toolchain.compiler == "xla":
        code = ("import compile, json, sys; compile.import_packages(); "
                "compile.compile_model(json.loads(sys.argv[1]), print)")
        output = model.with_suffix(".stablehlo")
        request = {"model": str(model), "inputs": [{"name": "input", "dtype": "float32", "shape": shape}],
                   "output": str(output), "stablehlo_version": "1.8.0"}
        toolchain.run_python(toolchain.folder / "python", code, json.dumps(request))
        return output
    if toolchain.compiler == "iree":
        code = ("import json, program, sys; from ngraphbench import onnx_file; "
                "model = program.with_shapes(onnx_file.read(sys.argv[1]), [{'shape': json.loads(sys.argv[2])}]); "
                "program.write(model, sys.argv[3], sys.argv[4:])")
        output = model.with_suffix(".vmfb")
        toolchain.run_python(toolchain.folder, code, model, json.dumps(shape), output, *IREE_FLAGS)
        return output
    return model


def benchmark_app_ms(site, numpy_site, model, report_folder):
    command = [sys.executable, "-c", "from openvino.tools.benchmark.main import main; main()", "-m", model, "-d", "CPU",
               "-hint", "none", "-nstreams", "1", "-nthreads", "1", "-api", "sync", "-infer_precision", "f32",
               "-niter", str(REPETITIONS), "-pin", "NO"]
    done = subprocess.run(["taskset", "-c", CPU, *command], capture_output=True, text=True, cwd=report_folder,
                          env={**os.environ, "PYTHONPATH": f"{site}:{numpy_site}"})
    found = {key: re.search(rf"{key}:\s+([\d.]+) ms", done.stdout) for key in ("Median", "Min")}
    if not all(found.values()):
        return None
    return float(found["Median"][1]), float(found["Min"][1])


def compare(toolchain, model, batch, pairs, numpy_site):
    other, other_ms = ("own", iree_benchmark_ms) if toolchain.compiler == "iree" else ("bare", bare_ms)
    program = program_for_other(toolchain, model, batch)
    names = ["worker", f"{other} A", f"{other} B"]
    samples = {name: [] for name in names}
    app = []
    for number in range(pairs):
        order = names + (["benchmark_app"] if toolchain.compiler == "openvino" else [])
        random.Random(number).shuffle(order)
        for who in order:
            if who == "worker":
                samples[who].append(worker_ms(toolchain, model, batch))
            elif who == "benchmark_app":
                told = benchmark_app_ms(toolchain.site, numpy_site, model, model.parent)
                app += [told] if told else []
            else:
                samples[who].append(other_ms(toolchain, program, batch))
    median = {who: statistics.median(statistics.median(p) for p in runs) for who, runs in samples.items()}
    minimum = {who: min(min(p) for p in runs) for who, runs in samples.items()}
    print(f"{toolchain.compiler}, batch {batch}: worker {median['worker']:.2f} ms median, "
          f"{minimum['worker']:.2f} ms minimum")
    for a, b in ((names[0], names[1]), (names[0], names[2]), (names[1], names[2])):
        print(f"  {a + ' / ' + b:<32}{median[a] / median[b]:8.4f}{minimum[a] / minimum[b]:9.4f}")
    if app:
        medians, minima = zip(*app)
        print(f"  {'worker / benchmark_app':<32}{median['worker'] / statistics.median(medians):8.4f}"
              f"{minimum['worker'] / min(minima):9.4f}")
    elif toolchain.compiler == "openvino":
        print("  benchmark_app did not run: it needs numpy: --numpy")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--toolchain", action="append", default=[], metavar="COMPILER=SITE")
    parser.add_argument("--numpy", default="", metavar="SITE")
    parser.add_argument("--batch", type=int, nargs="+", default=[1])
    parser.add_argument("--pairs", type=int, default=10)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    print(f"{'':<34}{'median':>8}{'minimum':>9}")
    for batch in arguments.batch:
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "resnet50.onnx"
            subprocess.run([build / "bin/ngb", "models", "write", "resnet50", "--batch", str(batch), "-o", model],
                           check=True)
            for toolchain in arguments.toolchain:
                compiler, _, site = toolchain.partition("=")
                compare(Toolchain(build, compiler, site), model, batch, arguments.pairs, arguments.numpy)


if __name__ == "__main__":
    main()
