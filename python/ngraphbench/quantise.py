# SPDX-License-Identifier: Apache-2.0
"""Makes an int8 file of an ONNX file by onnxruntime.quantization, for a variant of a study. The packages onnx and
onnxruntime are those of toolchains."""
import json
import logging
import os
import shutil
import sys
import tempfile

import numpy as np

_TYPES = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "i64": np.int64, "i32": np.int32, "i8": np.int8,
          "u8": np.uint8, "bool": np.bool_}


def answer() -> None:
    """Read {"exact", "output", "is_static", "per_channel", "calibration_inputs", "seed", "batch", "inputs": [{"name",
    "type", "shape", "range"?, "file"?, "array"?}]}, write the file and print {}, or {"error", "next"}."""
    question = json.loads(sys.stdin.read())
    logging.disable(logging.WARNING)
    try:
        _quantise(question)
    except Exception as error:  # whatever the library raises is told by its words
        folder = os.path.dirname(question["output"])
        # The library says of a file that it could write in part only that the model is damaged.
        if shutil.disk_usage(folder).free < os.path.getsize(question["exact"]):
            print(json.dumps({"error": f"cannot write in {folder}: the disk is full",
                              "next": "free some space and run the same command again"}))
            return
        text = str(error).strip().splitlines()
        print(json.dumps({"error": f"onnxruntime.quantization: {type(error).__name__}: {text[0] if text else ''}",
                          "next": "quantise the file with a program of your own, and name it with the key onnx"}))
        return
    print("{}")


def _quantise(question) -> None:
    from onnxruntime import quantization
    from onnxruntime.quantization import shape_inference
    tempfile.tempdir = os.path.dirname(question["output"])  # of the library's files, too
    with tempfile.TemporaryDirectory(dir=tempfile.tempdir) as folder:
        prepared = os.path.join(folder, "prepared.onnx")
        shape_inference.quant_pre_process(question["exact"], prepared, skip_symbolic_shape=True)
        if not question["is_static"]:
            # The processor's ConvInteger has unsigned weights only.
            quantization.quantize_dynamic(prepared, question["output"], per_channel=question["per_channel"],
                                          weight_type=quantization.QuantType.QUInt8)
            return
        quantization.quantize_static(prepared, question["output"], _Reader(question),
                                     quant_format=quantization.QuantFormat.QDQ, per_channel=question["per_channel"])


def _Reader(question):
    from onnxruntime import quantization

    class Reader(quantization.CalibrationDataReader):
        """Hands out the inputs with which ranges are calibrated: not those with which agreement is computed, if they are
        seeded."""

        def __init__(self):
            self._left = iter(_batches(question))

        def get_next(self):
            return next(self._left, None)

    return Reader()


def _batches(question):
    count = max(1, question["calibration_inputs"] // question["batch"])
    random = np.random.default_rng([question["seed"], 1])
    arrays = {each["name"]: _array_of(each) for each in question["inputs"] if "file" in each}
    for number in range(count):
        yield {each["name"]: _rows(arrays[each["name"]], number, each["shape"]) if each["name"] in arrays
               else _random(random, each) for each in question["inputs"]}


def _array_of(given):
    found = np.load(given["file"], mmap_mode="r")
    return found[given["array"]] if hasattr(found, "files") else found


def _rows(array, number, shape):
    """The rows of a batch, from the first again after the last."""
    if not shape or array.shape[1:] != tuple(shape[1:]):
        return np.asarray(array)
    return np.asarray(array[np.arange(number * shape[0], (number + 1) * shape[0]) % array.shape[0]])


def _random(random, given):
    kind = _TYPES[given["type"]]
    least, largest = given.get("range", [0, 1] if np.issubdtype(kind, np.integer) or kind is np.bool_ else [-1, 1])
    if np.issubdtype(kind, np.integer) or kind is np.bool_:
        return random.integers(int(least), int(largest) + 1, given["shape"]).astype(kind)
    return random.uniform(least, largest, given["shape"]).astype(kind)
