# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 as a user of PyTorch would time it: timm's module and torch.utils.benchmark, none of our code.

    torch_timer.py COMPILER MODEL.onnx THREADS REPETITIONS

The weights are the file's: with those that timm begins a training with, many of them zero, the same inference takes about
3 % less. Prints one line for each repetition: nanoseconds."""
import sys
import tempfile
import time

import onnx
import timm
import torch
from torch.utils import benchmark


def eager_cpp(module, x):
    """The trace as it is. The call after next would have been optimised."""
    program = torch.jit.trace(module, x)
    torch._C._set_graph_executor_optimize(False)
    return program


def torchscript(module, x):
    return torch.jit.optimize_for_inference(torch.jit.trace(module, x))


def torch_compile(module, x):
    torch._inductor.config.freezing = True
    return torch.compile(module)


def aotinductor(module, x):
    torch._inductor.config.freezing = True
    with tempfile.TemporaryDirectory() as folder:
        program = torch.export.export(module, (x,))
        package = torch._inductor.aoti_compile_and_package(program, package_path=f"{folder}/resnet50.pt2")
        return torch._inductor.aoti_load_package(package)


MAKERS = {"identity": lambda module, x: module, "eager-cpp": eager_cpp, "torchscript": torchscript,
          "torch-compile": torch_compile, "aotinductor": aotinductor}


def module_of(graph):
    values = {weight.name: torch.from_numpy(onnx.numpy_helper.to_array(weight).copy()) for weight in graph.initializer}
    module = timm.create_model("resnet50").eval()
    missing, unexpected = module.load_state_dict(values, strict=False)
    assert not unexpected and all(name.endswith("num_batches_tracked") for name in missing), (missing, unexpected)
    return module


def main():
    compiler, path, (threads, repetitions) = sys.argv[1], sys.argv[2], map(int, sys.argv[3:])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    graph = onnx.load(path).graph
    with torch.no_grad() if compiler == "aotinductor" else torch.inference_mode():
        x = torch.rand([extent.dim_value for extent in graph.input[0].type.tensor_type.shape.dim])
        call = MAKERS[compiler](module_of(graph), x)
        timer = benchmark.Timer("call(x)", globals={"call": call, "x": x}, num_threads=threads)
        timer.timeit(2)  # compiles, and with the two calls that it throws away warms up
        begin_s = time.process_time()  # it may have to wait for its turn
        timer.timeit(1)  # three calls
        one_s = (time.process_time() - begin_s) / 3 / threads
        # What it waits while the two others have their turns counts as its own time.
        seconds = timer.blocked_autorange(min_run_time=3 * repetitions * one_s).times
    print(*(round(each * 1e9) for each in seconds), sep="\n")


if __name__ == "__main__":
    main()
