# SPDX-License-Identifier: Apache-2.0
"""Writes what takes an image apart into patches (nn.Unfold), and what adds patches up to one (nn.Fold, the operator Col2Im), as
convolutions with weights of 0 and 1, for compilers that know those. An infinite pixel becomes NaN in its patches then, as 0 times
infinity does. The package onnx is the toolchain's."""
import collections
import math
from typing import Optional, Sequence, Tuple

import numpy as np
from onnx import helper, numpy_helper

from ngraphbench import onnx_constants
from ngraphbench.onnx_file import STANDARD_DOMAINS

_PREFIX = "ngraphbench_patches_"
_UNFOLDED = [0, 1, 2, 4, 3, 5]  # of [samples, channels, rows of a patch, rows of patches, columns of a patch, columns of patches]


def write_col2im(model) -> None:
    """Change the onnx.ModelProto, whose shapes are known: Col2Im becomes a transposed convolution of each channel."""
    graph, nodes = model.graph, []
    if not any(node.op_type == "Col2Im" for node in graph.node):
        return
    shapes, constants = onnx_constants.shapes_of(model), _constants_of(graph)
    for node in graph.node:
        is_known = node.input[0] in shapes and all(name in constants for name in node.input[1:]) if node.input else False
        if node.op_type == "Col2Im" and node.domain in STANDARD_DOMAINS and is_known:
            nodes += _added(graph, node, shapes[node.input[0]], *(constants[name].tolist() for name in node.input[1:]))
        else:
            nodes.append(node)
    _set(graph, nodes)


def write_unfolds(model) -> None:
    """Change the onnx.ModelProto, whose shapes are known: two Gathers that take rows and columns of all patches, and the Transpose
    behind them, become a reshape and a transpose where patches lie side by side, else a convolution of each channel."""
    graph, nodes = model.graph, []
    if sum(node.op_type == "Gather" for node in graph.node) < 2:
        return
    shapes, constants = onnx_constants.shapes_of(model), _constants_of(graph)
    makers = {name: node for node in graph.node for name in node.output}
    uses = collections.Counter(name for node in graph.node for name in node.input)
    uses.update(output.name for output in graph.output)
    dropped = set()
    for node in graph.node:
        attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
        if node.op_type != "Transpose" or attributes.get("perm") != _UNFOLDED:
            nodes.append(node)
            continue
        columns = makers.get(node.input[0])
        rows = makers.get(columns.input[0]) if columns is not None and columns.input else None
        windows = [_window(each, axis, shapes, constants) for each, axis in ((rows, 2), (columns, 4))]
        if None in windows or any(uses[each.output[0]] > 1 for each in (rows, columns)):
            nodes.append(node)
            continue
        dropped |= {rows.output[0], columns.output[0]}
        nodes += _taken_apart(graph, node, rows.input[0], shapes[rows.input[0]], windows)
    _set(graph, [node for node in nodes if not dropped & set(node.output)])


def _window(gather, axis: int, shapes, constants) -> Optional[Tuple[int, int, int, int]]:
    """Return (kernel, places, stride, dilation) of a Gather that takes windows along an axis, the first of them at 0."""
    if gather is None or gather.op_type != "Gather" or gather.input[1] not in constants or gather.input[0] not in shapes:
        return None
    taken, extent = constants[gather.input[1]], shapes[gather.input[0]]
    if next((each.i for each in gather.attribute if each.name == "axis"), 0) != axis or taken.ndim != 2 or 0 in taken.shape:
        return None
    kernel, places = taken.shape
    dilation = int(taken[1, 0]) if kernel > 1 else 1
    stride = int(taken[0, 1]) if places > 1 else extent[axis]
    expected = dilation * np.arange(kernel)[:, None] + stride * np.arange(places)[None, :]
    is_all = dilation > 0 and stride > 0 and (extent[axis] - dilation * (kernel - 1) - 1) // stride + 1 == places
    return (kernel, places, stride, dilation) if is_all and (taken == expected).all() else None


def _taken_apart(graph, node, image: str, shape: Sequence[int], windows) -> list:
    kernel, places, strides, dilations = (list(each) for each in zip(*windows))
    out = node.output[0]
    patches = [*shape[:2], *kernel, *places]
    if strides == kernel and dilations == [1, 1] and [k * n for k, n in zip(kernel, places)] == list(shape[2:]):
        apart = [*shape[:2], places[0], kernel[0], places[1], kernel[1]]
        return [helper.make_node("Reshape", [image, _constant(graph, f"{out}_apart", apart)], [f"{_PREFIX}{out}"]),
                helper.make_node("Transpose", [f"{_PREFIX}{out}"], [out], node.name, perm=[0, 1, 3, 5, 2, 4])]
    return [helper.make_node("Conv", [image, _each_place(graph, out, shape[1], kernel)], [f"{_PREFIX}{out}"], group=shape[1],
                             kernel_shape=kernel, strides=strides, dilations=dilations, pads=[0] * 4),
            helper.make_node("Reshape", [f"{_PREFIX}{out}", _constant(graph, f"{out}_patches", patches)], [out], node.name)]


def _added(graph, node, shape: Sequence[int], image: Sequence[int], kernel: Sequence[int]) -> list:
    attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    strides, dilations = (attributes.get(name) or [1] * len(image) for name in ("strides", "dilations"))
    pads = list(attributes.get("pads") or [0] * (2 * len(image)))
    begins, ends = pads[:len(image)], pads[len(image):]
    reach = [d * (k - 1) + 1 for d, k in zip(dilations, kernel)]
    places = [(size + begin + end - each) // stride + 1
              for size, begin, end, each, stride in zip(image, begins, ends, reach, strides)]
    whole = [(count - 1) * stride + each for count, stride, each in zip(places, strides, reach)]
    rest = [size + begin + end - each for size, begin, end, each in zip(image, begins, ends, whole)]  # that no patch covers
    out, channels = node.output[0], shape[1] // math.prod(kernel)
    apart = _constant(graph, f"{out}_places", [*shape[:2], *places])
    return [helper.make_node("Reshape", [node.input[0], apart], [f"{_PREFIX}{out}"]),
            helper.make_node("ConvTranspose", [f"{_PREFIX}{out}", _each_place(graph, out, channels, kernel)], [out], node.name,
                             group=channels, kernel_shape=kernel, strides=strides, dilations=dilations, pads=pads,
                             output_padding=rest)]


def _each_place(graph, out: str, channels: int, kernel: Sequence[int]) -> str:
    """Weights of a convolution of each channel, whose outputs or inputs are the places of a patch."""
    places = math.prod(kernel)
    weights = np.tile(np.eye(places, dtype=np.float32).reshape(places, 1, *kernel), (channels,) + (1,) * (1 + len(kernel)))
    return _constant(graph, f"{out}_weights", weights)


def _constants_of(graph) -> dict:
    return {each.name: numpy_helper.to_array(each) for each in graph.initializer if len(each.dims) < 3}


def _constant(graph, name: str, value) -> str:
    value = np.asarray(value)
    value = value if value.dtype == np.float32 else value.astype(np.int64)
    graph.initializer.append(numpy_helper.from_array(value, _PREFIX + name))
    return _PREFIX + name


def _set(graph, nodes) -> None:
    del graph.node[:]
    graph.node.extend(nodes)
