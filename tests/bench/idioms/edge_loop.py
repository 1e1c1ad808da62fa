# SPDX-License-Identifier: Apache-2.0
"""A loop as anybody would write it over the library of mnn, ncnn, litert or executorch, with the settings of our plugins. What
has converted the model is ours: the question is what running it costs.

    edge_loop.py COMPILER PROGRAM THREADS REPETITIONS SHAPE [BARE_EXECUTORCH]

PROGRAM is what the converter made of a model with one f32 input. Prints one line for each repetition: nanoseconds. Runs in
the toolchain's Python. ExecuTorch's Python package wants PyTorch; the library bare_executorch.so has the loop for it."""
import ctypes
import json
import pathlib
import sys
import time
import zipfile
from importlib import util

WARM_UP = 3


def in_mnn(program, x, threads):
    import MNN.expr as expr
    import MNN.nn

    runtime = MNN.nn.create_runtime_manager(({"backend": "CPU", "numThread": threads, "precision": "high"},))
    runtime.set_hint(3, 1)  # small tiles of Winograd's algorithm
    module = MNN.nn.load_module_from_file(program, ["input"], ["output"], runtime_manager=runtime, shape_mutable=False)
    inputs = [expr.const(x, list(x.shape), expr.NCHW, expr.float)]
    return lambda: module.forward(inputs)


def in_ncnn(program, x, threads):
    import ncnn

    net = ncnn.Net()
    net.opt.num_threads = threads
    net.opt.use_winograd63_convolution = False
    for name in ("packed", "storage", "arithmetic"):
        setattr(net.opt, f"use_fp16_{name}", False)
    with zipfile.ZipFile(program) as file:
        net.load_param_mem(file.read("param").decode())
        weights = file.read("bin")
    net.load_model_mem(weights)
    pools = ncnn.UnlockedPoolAllocator(), ncnn.PoolAllocator()
    net.opt.blob_allocator, net.opt.workspace_allocator = pools
    value = ncnn.Mat(x, batch_index=0).clone()

    def infer(kept=(weights, pools)):
        extractor = net.create_extractor()
        extractor.input("in0", value)
        return extractor.extract("out0")

    return infer


def in_litert(program, x, threads):
    from ai_edge_litert.compiled_model import CompiledModel
    from ai_edge_litert.cpu_options import CpuOptions
    from ai_edge_litert.hardware_accelerator import HardwareAccelerator
    from ai_edge_litert.options import Options

    model = CompiledModel.from_file(program, options=Options(hardware_accelerators=HardwareAccelerator.CPU,
                                                             cpu_options=CpuOptions(num_threads=threads)))
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
    inputs[0].write(x)
    return lambda: model.run_by_index(0, inputs, outputs)


def time_executorch(program, x, threads, repetitions, bare):
    folder = pathlib.Path(util.find_spec("executorch").submodule_search_locations[0]) / "lib"
    for name in ("libexecutorch.so", "libexecutorch_threadpool.so", "libexecutorch_kernels_optimized.so",
                 "libexecutorch_backend_xnnpack.so"):
        library = ctypes.CDLL(folder / name, ctypes.RTLD_GLOBAL)
        if "threadpool" in name:
            pool = library._ZN10executorch9extension10threadpool14get_threadpoolEv
            reset = library._ZN10executorch9extension10threadpool10ThreadPool24_unsafe_reset_threadpoolEj
            pool.restype, reset.argtypes, reset.restype = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_uint32], ctypes.c_bool
            reset(pool(), threads)
    shape, times = (ctypes.c_int32 * x.ndim)(*x.shape), (ctypes.c_int64 * repetitions)()
    failed = ctypes.CDLL(bare).bare_executorch(program.encode(), x.ctypes.data_as(ctypes.c_void_p), shape, x.ndim, WARM_UP,
                                               repetitions, times)
    if failed:
        sys.exit(f"ExecuTorch cannot run {program}: its error {failed}")
    return list(times)


def main():
    import numpy

    compiler, program, (threads, repetitions) = sys.argv[1], sys.argv[2], map(int, sys.argv[3:5])
    x = numpy.random.default_rng(1).uniform(-1, 1, json.loads(sys.argv[5])).astype("float32")
    if compiler == "executorch":
        return print(*time_executorch(program, x, threads, repetitions, sys.argv[6]), sep="\n")
    infer = {"mnn": in_mnn, "ncnn": in_ncnn, "litert": in_litert}[compiler](program, x, threads)
    times = []
    for _ in range(WARM_UP + repetitions):
        begin = time.monotonic_ns()
        result = infer()  # it lives until the next one, as in a program that reads it
        times.append(time.monotonic_ns() - begin)
    del result
    print(*times[WARM_UP:], sep="\n")


if __name__ == "__main__":
    main()
