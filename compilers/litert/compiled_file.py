# SPDX-License-Identifier: Apache-2.0
"""What a file in LiteRT's form (.tflite) wants as inputs."""
from ai_edge_litert.interpreter import Interpreter

_TYPES = {"float32": "f32", "float16": "f16", "int64": "i64", "int32": "i32", "int8": "i8", "uint8": "u8", "bool": "bool"}


def inputs(path):
    """Return [{"name", "type", "shape"}] in the order of the file's first signature; an open extent is -1."""
    interpreter = Interpreter(path)
    interpreter.allocate_tensors()  # raises for an operator that this LiteRT lacks, such as a custom one
    signatures = interpreter.get_signature_list()
    if not signatures:
        raise ValueError("it has no signature, so its inputs have no names; convert it again with a newer converter")
    runner = interpreter.get_signature_runner(next(iter(signatures)))
    return [{"name": name, "type": _TYPES[each["dtype"].__name__],
             "shape": [int(extent) for extent in each["shape_signature"]]}
            for name, each in runner.get_input_details().items()]
