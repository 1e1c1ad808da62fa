# SPDX-License-Identifier: Apache-2.0
"""What a file in MNN's form (.mnn) wants as inputs."""
import MNN.expr as expr
import MNN.nn

_TYPES = {expr.float: "f32", expr.int: "i32", expr.uint8: "u8"}


def inputs(path):
    """Return [{"name", "type", "shape"}] in the file's order; an open extent is -1."""
    module = MNN.nn.load_module_from_file(path, [], [])
    if module is None:
        raise ValueError("MNN does not load it")
    told = module.get_info()
    return [{"name": name, "type": _TYPES[tensor.dtype], "shape": [extent if extent > 0 else -1 for extent in tensor.shape]}
            for name, tensor in zip(told["inputNames"], told["inputs"])]
