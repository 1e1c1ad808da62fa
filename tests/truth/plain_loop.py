# SPDX-License-Identifier: Apache-2.0
"""Counts inferences for some seconds, as anybody would who has a library, a model and a clock on the wall: for PyTorch its
module, for the others its ONNX file.

    plain_loop.py LIBRARY FILE THREADS SECONDS

The file's stem is the name of the model.
Prints "COUNT SECONDS PROCESSOR_SECONDS". Ten inferences go before. PYTHONPATH has the library and numpy."""

import pathlib
import sys
import time

WARM_UP = 10


def onnxruntime_call(path, threads):
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    feeds = {each.name: numpy.random.default_rng(1).random(each.shape, numpy.float32) for each in session.get_inputs()}
    return lambda: session.run(None, feeds)


def openvino_call(path, threads):
    import numpy
    import openvino

    compiled = openvino.Core().compile_model(path, "CPU", {
        "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32", "ENABLE_CPU_PINNING": False})
    request = compiled.create_infer_request()
    feeds = {port: numpy.random.default_rng(1).random(list(port.shape), numpy.float32) for port in compiled.inputs}
    request.infer(feeds)
    return lambda: request.infer(share_outputs=True)  # without it the binding copies the outputs: 2.4 % of the block's time


def module_of(torch, model):
    """The module with weights of its own. The block is that of wall_clock.py."""
    if model == "conv_block":
        stem, convolution = torch.nn.Conv2d(3, 64, 3, padding=1), torch.nn.Conv2d(64, 64, 3, padding=1)
        return torch.nn.Sequential(stem, convolution, torch.nn.BatchNorm2d(64), torch.nn.ReLU())
    import timm

    return timm.create_model(model)


def torch_call(make):
    def call(path, threads):
        import onnx
        import torch

        torch.set_num_threads(threads)
        module = module_of(torch, pathlib.Path(path).stem).eval()
        graph = onnx.load(path).graph
        with torch.inference_mode():
            inputs = [torch.rand([each.dim_value for each in graph.input[0].type.tensor_type.shape.dim])]
            program = make(torch, module, inputs)
        return torch.inference_mode()(lambda: program(*inputs))

    return call


def compiled(torch, module, _inputs):
    torch._inductor.config.freezing = True
    return torch.compile(module)


CALLS = {
    "onnxruntime": onnxruntime_call,
    "openvino": openvino_call,
    "identity": torch_call(lambda _torch, module, _inputs: module),
    "torchscript": torch_call(lambda torch, module, inputs: torch.jit.optimize_for_inference(torch.jit.trace(module, inputs))),
    "torch-compile": torch_call(compiled),
}


def main(library, path, threads, seconds):
    call = CALLS[library](path, int(threads))
    for _ in range(WARM_UP):
        call()
    count, begin, busy = 0, time.perf_counter(), time.process_time()
    end = begin + float(seconds)
    now = begin
    while now < end:
        call()
        count += 1
        now = time.perf_counter()
    print(count, now - begin, time.process_time() - busy)


if __name__ == "__main__":
    main(*sys.argv[1:])
