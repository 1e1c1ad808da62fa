# SPDX-License-Identifier: Apache-2.0
"""What one would write without ngb: timm's modules, each exported by torch.onnx.export for each batch size, then PyTorch
eager, ONNX Runtime and OpenVINO timed one after the other, all in one process, none of our code.

    one_process.py THREADS REPETITIONS BATCH,… MODEL…

Prints the seconds from the first import to the end, and those of the repetitions that count."""
import time

BEGAN = time.monotonic()

import contextlib  # noqa: E402
import io  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import warnings  # noqa: E402

import onnxruntime  # noqa: E402
import openvino  # noqa: E402
import timm  # noqa: E402
import torch  # noqa: E402

WARM_UP = 3


def eager(module, x, path, threads):
    torch.set_num_threads(threads)
    return lambda: module(x)


def in_onnxruntime(module, x, path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    feed = {"input": x.numpy()}
    return lambda: session.run(None, feed)


def in_openvino(module, x, path, threads):
    compiled = openvino.Core().compile_model(path, "CPU", {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
                                                           "INFERENCE_PRECISION_HINT": "f32"})
    request, feed = compiled.create_infer_request(), {"input": x.numpy()}
    return lambda: request.infer(feed, share_inputs=True)


def exported(module, x, folder):
    path = f"{folder}/model.onnx"
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        torch.onnx.export(module, (x,), path, opset_version=20, input_names=["input"], output_names=["output"],
                          dynamo=False)
    return path


def main():
    threads, repetitions = map(int, sys.argv[1:3])
    counted_s = 0.0
    for name in sys.argv[4:]:
        module = timm.create_model(name).eval()
        for batch in map(int, sys.argv[3].split(",")):
            x = torch.rand(batch, 3, 224, 224)
            with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
                path = exported(module, x, folder)
                for compiler in (eager, in_onnxruntime, in_openvino):
                    call = compiler(module, x, path, threads)
                    for _ in range(WARM_UP):
                        call()
                    for _ in range(repetitions):
                        start = time.monotonic()
                        call()
                        counted_s += time.monotonic() - start
    print(f"{time.monotonic() - BEGAN:.2f} {counted_s:.2f}")


if __name__ == "__main__":
    main()
