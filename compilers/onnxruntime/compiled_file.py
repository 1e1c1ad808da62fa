# SPDX-License-Identifier: Apache-2.0
"""What a file in ONNX Runtime's own form (.ort) wants as inputs."""
import onnxruntime as ort

_TYPES = {"float": "f32", "float16": "f16", "bfloat16": "bf16", "double": "f64", "int64": "i64", "int32": "i32", "int8": "i8",
          "uint8": "u8", "bool": "bool"}


def inputs(path):
    """Return [{"name", "type", "shape"}] in the file's order; an open extent is -1."""
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    return [{"name": each.name, "type": _TYPES[each.type[len("tensor("):-1]],
             "shape": [extent if isinstance(extent, int) else -1 for extent in each.shape]} for each in session.get_inputs()]
