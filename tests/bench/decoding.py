#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near `ngb` is to a bare loop over the same library, decoder and form of the cache.

    decoding.py NGB FOLDER [--model llama_30m] [--compilers …] [--forms …] [--turns 5] [--context 128] [--capacity 1024]

For each compiler and form of the cache, so many processes of `ngb run` and of a loop without `ngb` take turns on the processor that
`ngb` uses. Prints a row of a Markdown table: milliseconds a token of both, and their ratio (ngb / loop) with its 95 % interval over
turns. The loop feeds back as an own program would: rows copied into the cache, a cache bound as its own output, or arrays handed on."""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

NEW_TOKENS, PASSES = 32, 12
T975 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365}  # Student's, by number of turns
STUDY = """\
models: [{{zoo: {model}, phase: decode, context: {context}, {capacity}cache: {form}, new_tokens: {new_tokens}}}]
compilers: [{compiler}]
batch_sizes: 1
threads: 1
processes: 1
repetitions: {passes}
reference: none
disturbance: {{attempts: 1, wait_s: 0, max_wait_percent: 100}}
output: {output}
"""


def cache_names(slots):
    return [slot for slot in slots if slot.startswith("past_key_values")]


def onnxruntime_loop(path, arrays, form, context):
    """Returns functions: to begin a pass, and to compute one step."""
    import numpy as np
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    binding, caches = session.io_binding(), cache_names(arrays)
    presents = [slot for slot in session.get_outputs() if slot.name != "logits"]
    rows = {"logits": np.zeros(session.get_outputs()[0].shape, np.float32)}  # whatever is bound has to stay
    start = {name: array.copy() for name, array in arrays.items()}

    def bind_input(name, array):
        binding.bind_input(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)

    def bind_output(name, array):
        binding.bind_output(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)

    for name, array in arrays.items():
        bind_input(name, array)
    bind_output("logits", rows["logits"])
    for name, present in zip(caches, presents):
        rows[name] = arrays[name] if form == "static" else np.zeros(present.shape, np.float32)
        bind_output(present.name, rows[name])

    def begin():
        for name in caches:
            arrays[name][...] = start[name]

    def step(place):
        session.run_with_iobinding(binding)
        if form == "delta":
            for name in caches:
                arrays[name][:, :, place] = rows[name][:, :, 0]

    return begin, step


def openvino_loop(path, arrays, form, context):
    import openvino as ov
    core = ov.Core()
    compiled = core.compile_model(core.read_model(path), "CPU", {
        "INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32", "NUM_STREAMS": 1,
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0, "ENABLE_CPU_PINNING": False, "PERFORMANCE_HINT": "LATENCY"})
    caches, start = cache_names(arrays), {name: array.copy() for name, array in arrays.items()}
    requests = [compiled.create_infer_request() for _ in range(1 if form == "delta" else 2)]
    presents = range(1, 1 + len(caches))
    tensors = {name: ov.Tensor(array, shared_memory=True) for name, array in arrays.items()}
    for request in requests:
        for name, tensor in tensors.items():
            request.set_tensor(name, tensor)
    if form == "static":  # each reads what the other one has returned
        buffers = [[request.get_output_tensor(place) for place in presents] for request in requests]
        for request, read in zip(requests, reversed(buffers)):
            for name, tensor in zip(caches, read):
                request.set_tensor(name, tensor)
    taken = [0]

    def begin():
        taken[0] = 0
        for at, name in enumerate(caches):
            into = buffers[1][at].data if form == "static" else arrays[name]
            into[...] = start[name]

    def step(place):
        request = requests[taken[0] % len(requests)]
        request.infer(share_outputs=True)
        taken[0] += 1
        if form == "delta":
            for at, name in zip(presents, caches):
                arrays[name][:, :, place] = request.get_output_tensor(at).data[:, :, 0]

    return begin, step


LOOPS = {"onnxruntime": onnxruntime_loop, "openvino": openvino_loop}


def loop(compiler, path, form, context):
    """Prints the median over passes of seconds a token. Runs in a process with the compiler's packages."""
    import numpy as np
    import onnx
    model = onnx.load(path, load_external_data=False)
    random, arrays = np.random.default_rng(1), {}
    for slot in model.graph.input:
        shape = [each.dim_value for each in slot.type.tensor_type.shape.dim]
        kind = onnx.helper.tensor_dtype_to_np_dtype(slot.type.tensor_type.elem_type)
        arrays[slot.name] = np.zeros(shape, kind) if kind != np.float32 else random.uniform(-1, 1, shape).astype(kind)
    tokens = random.integers(0, 4096, (PASSES + 1, NEW_TOKENS))
    begin, step = LOOPS[compiler](path, arrays, form, context)
    told = []
    for of_pass in tokens:
        begin()
        used = 0.0
        for at, token in enumerate(of_pass):
            arrays["input_ids"][...] = token
            arrays["position"][...] = context + at
            began = time.perf_counter()
            step(context + at)
            used += time.perf_counter() - began
        told.append(used / NEW_TOKENS)
    print(statistics.median(told[1:]))


def site_of(compiler):
    home = pathlib.Path(os.environ.get("NGB_TOOLCHAINS") or pathlib.Path.home() / ".local/share/ngraphbench/toolchains")
    return str(max((home / compiler).glob("*/site"), key=lambda path: path.stat().st_mtime))


def looped(arguments, compiler, form, path):
    packages = os.pathsep.join(map(site_of, (compiler, "identity")))
    processor = max(os.sched_getaffinity(0))  # that which ngb gives to one thread
    done = subprocess.run(["/usr/bin/python3", __file__, "--loop", compiler, path, form, str(arguments.context)], capture_output=True,
                          text=True, env={"PATH": os.environ["PATH"], "PYTHONPATH": packages, "OMP_NUM_THREADS": "1"},
                          preexec_fn=lambda: os.sched_setaffinity(0, {processor}))
    if done.returncode != 0:
        sys.exit(done.stderr)
    return float(done.stdout)


def measured(arguments, compiler, form, name):
    output = arguments.folder / name
    study = output.with_suffix(".yaml")
    study.write_text(STUDY.format(model=arguments.model, context=arguments.context, form=form, new_tokens=NEW_TOKENS, passes=PASSES,
                                  capacity=f"capacity: {arguments.capacity}, ", compiler=compiler, output=output))
    done = subprocess.run([arguments.ngb, "run", study, "--no-report", "-q"], capture_output=True, text=True)
    shown = json.loads(subprocess.run([arguments.ngb, "show", output, "--json"], capture_output=True, text=True).stdout)
    value = shown["cells"][0]["metrics"]["time_per_token_s"]["value"]
    if value is None:
        sys.exit(done.stdout + done.stderr)
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ngb")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--model", default="llama_30m")
    parser.add_argument("--compilers", nargs="*", default=list(LOOPS), choices=LOOPS)
    parser.add_argument("--forms", nargs="*", default=["delta", "static"], choices=["delta", "static"])
    parser.add_argument("--turns", type=int, default=5, choices=T975)
    parser.add_argument("--context", type=int, default=128)
    parser.add_argument("--capacity", type=int, default=1024)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True)
    print("| compiler, cache | ngb, ms a token | loop, ms a token | ngb / loop |\n| --- | --- | --- | --- |")
    for form in arguments.forms:
        path = str(arguments.folder / f"{form}.onnx")
        wanted = json.dumps({"context": arguments.context, "capacity": arguments.capacity, "cache": form})
        subprocess.run([arguments.ngb, "models", "write", arguments.model, "--parameters", wanted, "--batch", "1", "-o", path], check=True,
                       stdout=subprocess.DEVNULL)
        for compiler in arguments.compilers:
            pairs = []
            for turn in range(arguments.turns):
                ways = [lambda: measured(arguments, compiler, form, f"{compiler}_{form}_{turn}"),
                        lambda: looped(arguments, compiler, form, path)]
                first = turn % 2
                values = {first: ways[first]()}
                values[1 - first] = ways[1 - first]()
                pairs.append((values[0], values[1]))
            logs = [math.log(one / other) for one, other in pairs]
            middle, half = statistics.fmean(logs), T975[len(logs)] * statistics.stdev(logs) / math.sqrt(len(logs))
            ngb_ms, loop_ms = (1000 * statistics.median(side) for side in zip(*pairs))
            print(f"| {compiler}, {form} | {ngb_ms:.3f} | {loop_ms:.3f} | {math.exp(middle):.3f} "
                  f"[{math.exp(middle - half):.3f}, {math.exp(middle + half):.3f}] |", flush=True)


if len(sys.argv) == 6 and sys.argv[1] == "--loop":
    loop(*sys.argv[2:5], int(sys.argv[5]))
else:
    main()
