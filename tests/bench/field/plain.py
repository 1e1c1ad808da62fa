# SPDX-License-Identifier: Apache-2.0
"""Runs a file with onnxruntime as anybody does in Python: plain.py FILE SHAPES, where SHAPES is a JSON object
{input: [type, shape, least, largest]}. Prints "runs", or why it does not. PYTHONPATH has onnxruntime and numpy."""
import json
import sys

import numpy as np
import onnxruntime

NUMPY = {"f32": "float32", "f16": "float16", "f64": "float64", "i64": "int64", "i32": "int32", "i8": "int8", "u8": "uint8",
         "bool": "bool"}


def main(path, described):
    random = np.random.default_rng(1)
    feeds = {}
    for name, (kind, shape, least, largest) in json.loads(described).items():
        whole = kind[0] in "iub"
        values = random.integers(least, largest + 1, shape) if whole else random.uniform(least, largest, shape)
        feeds[name] = np.asarray(values).astype(NUMPY[kind])
    try:
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        session.run(None, feeds)
    except Exception as error:  # the library raises many types
        print(str(error).splitlines()[0])
    else:
        print("runs")


if __name__ == "__main__":
    main(*sys.argv[1:])
