# SPDX-License-Identifier: Apache-2.0
"""What a file in ncnn's form (.param, with its weights in .bin) wants as inputs."""
import os

import ncnn
from ngraphbench.adaptor import CompilerError

_MAGIC = "7767517"
_EXTENTS = ("2", "11", "1", "0")  # ncnn's numbers of a layer Input's channels, depth, height and width


def inputs(path):
    """Return [{"name", "type", "shape"}] in the file's order, with the batch first, which the file has not. A shape that
    its layer Input leaves open is None, and so is the type."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip()]
    if lines[0] != [_MAGIC]:
        raise ValueError("its first line is not that of ncnn's layers")
    layers = lines[2:]
    if len(layers) != int(lines[1][0]):
        raise ValueError(f"it has {len(layers)} layers of {lines[1][0]}")
    if unknown := sorted({layer[0] for layer in layers if ncnn.layer_to_index(layer[0]) < 0}):
        raise CompilerError("unsupported_operator", f"ncnn has no layer {', '.join(unknown)}",
                            "of pnnx's files, give that which ends in .ncnn.param")
    net = ncnn.Net()
    if net.load_param(path) != 0 or net.load_model(os.path.splitext(path)[0] + ".bin") != 0:
        raise ValueError("ncnn does not load it with the weights beside it")
    return [{"name": layer[4], "type": None, "shape": _shape(dict(each.split("=") for each in layer[5:]))}
            for layer in layers if layer[0] == "Input"]


def _shape(parameters):
    extents = [int(parameters[each]) for each in _EXTENTS if int(parameters.get(each, 0)) > 0]
    return [-1, *extents] if extents else None
