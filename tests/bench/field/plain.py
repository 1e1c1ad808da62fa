# SPDX-License-Identifier: Apache-2.0
"""Runs a file with a library as anybody does in Python: plain.py LIBRARY FILE INPUTS, where INPUTS is a JSON object
{input: [type, shape, least, largest]}. FILE.py:FUNCTION is a module, of the library identity, which is PyTorch. Prints "runs", or why it does not. PYTHONPATH has the library and numpy."""
import json
import sys

import numpy as np

NUMPY = {"f32": "float32", "f16": "float16", "f64": "float64", "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8",
         "u8": "uint8", "bool": "bool"}


def run_onnxruntime(path, feeds):
    import onnxruntime
    onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, feeds)


def run_openvino(path, feeds):
    import openvino
    core = openvino.Core()
    model = core.read_model(path)
    model.reshape({name: list(value.shape) for name, value in feeds.items()})
    core.compile_model(model, "CPU")(feeds)


def run_identity(source, feeds):
    import importlib.util
    import torch
    path, _, function = source.rpartition(":")
    spec = importlib.util.spec_from_file_location("modules", path)
    modules = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(modules)
    with torch.inference_mode():
        getattr(modules, function)()(*(torch.from_numpy(value) for value in feeds.values()))


def main(library, path, described):
    random = np.random.default_rng(1)
    feeds = {}
    for name, (kind, shape, least, largest) in json.loads(described).items():
        whole = kind[0] in "iub"
        values = random.integers(least, largest + 1, shape) if whole else random.uniform(least, largest, shape)
        feeds[name] = np.asarray(values).astype(NUMPY[kind])
    try:
        {"onnxruntime": run_onnxruntime, "openvino": run_openvino, "identity": run_identity}[library](path, feeds)
    except Exception as error:  # the libraries raise many types
        print(" ".join(str(error).split())[:300] or type(error).__name__)
    else:
        print("runs")


if __name__ == "__main__":
    main(*sys.argv[1:])
