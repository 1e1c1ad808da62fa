# SPDX-License-Identifier: Apache-2.0
"""Writes transposes of many axes with few. ncnn's values have four axes and a batch at the most, and exporters write windows of
an image as a reshape to six axes, a transpose, and a reshape. Axes of extent 1, and those that stay together, need not be
told apart: then four are enough."""
import collections
from typing import List, Sequence, Tuple

import numpy as np
from onnx import helper, numpy_helper

from ngraphbench import onnx_constants

_PREFIX = "ngraphbench_low_rank_"
_MOST_AXES = 4


def write(model) -> None:
    """Change the onnx.ModelProto, whose shapes are known. Transposes that cannot be written with fewer axes stay."""
    graph = model.graph
    shapes = onnx_constants.shapes_of(model)
    nodes = []
    for node in graph.node:
        nodes += _transposed(graph, node, shapes, len(nodes)) if node.op_type == "Transpose" else [node]
    is_changed = _without_first_axis(graph, nodes, shapes)
    if len(nodes) == len(graph.node) and not is_changed:
        return
    _skip_reshapes(graph, nodes)
    del graph.node[:]
    graph.node.extend(_used(nodes, {output.name for output in graph.output}))


def merged(shape: Sequence[int], order: Sequence[int]) -> Tuple[List[int], List[int]]:
    """Return the shape and order of the same transpose with as few axes as possible. A first axis of extent 1 that stays is
    kept, because it may count samples."""
    is_kept = shape[0] == 1 and order[0] == 0
    moved = [axis for axis in order if shape[axis] != 1]
    runs = []  # of axes that follow each other before and after
    for axis in moved:
        if runs and all(shape[between] == 1 for between in range(runs[-1][-1] + 1, axis)) and axis > runs[-1][-1]:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    before = sorted(runs)
    extents = [int(np.prod([shape[axis] for axis in run], dtype=np.int64)) for run in before]
    places = [before.index(run) for run in runs]
    return ([1, *extents], [0, *(place + 1 for place in places)]) if is_kept else (extents, places)


def _transposed(graph, node, shapes, index: int) -> list:
    shape = shapes.get(node.input[0])
    if shape is None or len(shape) <= _MOST_AXES or 0 in shape:
        return [node]
    order = next((list(each.ints) for each in node.attribute if each.name == "perm"), list(range(len(shape)))[::-1])
    few, few_order = merged(shape, order)
    if len(few) - (few[:1] == [1]) > _MOST_AXES:
        return [node]
    before, after = f"{_PREFIX}before_{index}", f"{_PREFIX}after_{index}"
    return [helper.make_node("Reshape", [node.input[0], _constant(graph, before, few)], [before]),
            helper.make_node("Transpose", [before], [after], node.name, perm=few_order),
            helper.make_node("Reshape", [after, _constant(graph, after, [shape[axis] for axis in order])], node.output)]


def _without_first_axis(graph, nodes, shapes) -> bool:
    """A first axis of extent 1 of five is left out where only sums with constants lie between two reshapes, as in an attention with
    a mask for each window."""
    constants = {each.name: each for each in graph.initializer}
    users = collections.defaultdict(list)
    for node in nodes:
        for name in node.input:
            users[name].append(node)
    outputs, whole, is_changed = {output.name for output in graph.output}, _whole_shapes(graph, nodes), False
    for node in nodes:
        shape = shapes.get(node.output[0], [])
        if node.op_type != "Reshape" or len(shape) != _MOST_AXES + 1 or shape[0] != 1:
            continue
        sums = users[node.output[0]]
        ends = [user for each in sums for user in users[each.output[0]]]
        masks = [(each, place) for each in sums for place, name in enumerate(each.input) if name in constants]
        is_between = all(each.op_type == "Reshape" and each.input[1] in whole for each in ends) and len(masks) == len(sums)
        made = {node.output[0], *(each.output[0] for each in sums)}
        if {each.op_type for each in sums} != {"Add"} or not ends or not is_between or outputs & made:
            continue
        node.input[1] = _constant(graph, f"{_PREFIX}{node.output[0]}", shape[1:])
        for each, place in masks:
            value = numpy_helper.to_array(constants[each.input[place]])
            if value.ndim == len(shape):
                name = f"{_PREFIX}{each.output[0]}_mask"
                graph.initializer.append(numpy_helper.from_array(value[0], name))
                each.input[place] = name
        is_changed = True
    return is_changed


def _constant(graph, name: str, shape: Sequence[int]) -> str:
    graph.initializer.append(numpy_helper.from_array(np.asarray(shape, np.int64), f"{name}_shape"))
    return f"{name}_shape"


def _skip_reshapes(graph, nodes) -> None:
    """Of reshapes that follow each other the last one counts, unless an extent of it is 0, which is that of its operand."""
    whole, sources = _whole_shapes(graph, nodes), {}
    for node in nodes:
        if node.op_type == "Reshape":
            if node.input[1] in whole:
                node.input[0] = sources.get(node.input[0], node.input[0])
            sources[node.output[0]] = node.input[0]


def _whole_shapes(graph, nodes) -> set:
    """Return the names of constants that tell reshapes every extent but one at the most."""
    shapes = {node.input[1] for node in nodes if node.op_type == "Reshape"}
    return {each.name for each in graph.initializer if each.name in shapes and numpy_helper.to_array(each).all()}


def _used(nodes, outputs: set) -> list:
    kept = []
    for node in reversed(nodes):
        if outputs & set(node.output):
            kept.append(node)
            outputs |= set(node.input)
    return kept[::-1]
