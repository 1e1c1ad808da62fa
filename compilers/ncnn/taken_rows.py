# SPDX-License-Identifier: Apache-2.0
"""Takes query, key and value from where they lie. Exporters write a transpose that moves their axis to the front, and take
each along the first axis then, which counts samples of all other values: a batch could not be taken apart into samples."""
import math

import numpy as np
from onnx import helper, numpy_helper

from ngraphbench import onnx_constants

_PREFIX = "ngraphbench_rows_"


def write(model) -> None:
    """Change the onnx.ModelProto, whose shapes are known."""
    graph = model.graph
    shapes = onnx_constants.shapes_of(model)
    constants = {each.name: numpy_helper.to_array(each) for each in graph.initializer if len(each.dims) < 2}
    moved = {node.output[0]: node for node in graph.node
             if node.op_type == "Transpose" and _order(node, shapes)[:1] not in ([], [0])}
    rows, nodes = {}, []  # {value: (the transpose, which of its rows)}
    for node in graph.node:
        rows.update(_rows_of(node, moved, shapes, constants))
        index = rows.get(node.output[0] if node.op_type == "Gather" else node.input[0] if node.op_type == "Squeeze" else "")
        is_row = index is not None and shapes.get(node.output[0]) == shapes[index[0].output[0]][1:]
        nodes += _taken(graph, node.output[0], *index, shapes) if is_row else [node]
    del graph.node[:]
    graph.node.extend(onnx_constants.used(nodes, {output.name for output in graph.output}))


def _order(node, shapes) -> list:
    given = shapes.get(node.input[0])
    if given is None or node.output[0] not in shapes:
        return []
    return next((list(each.ints) for each in node.attribute if each.name == "perm"), list(range(len(given)))[::-1])


def _rows_of(node, moved, shapes, constants) -> dict:
    """Return {value: (transpose, index)} of what the node takes along the first axis of a transpose."""
    transpose = moved.get(node.input[0]) if node.input else None
    axis = next((each.i for each in node.attribute if each.name == "axis"), 0)
    if transpose is None:
        return {}
    count = shapes[transpose.output[0]][0]
    if node.op_type == "Split" and axis == 0 and len(node.output) == count:
        return {name: (transpose, place) for place, name in enumerate(node.output)}
    if node.op_type == "Gather" and axis == 0 and constants.get(node.input[1], np.zeros(1)).ndim == 0:
        return {node.output[0]: (transpose, int(constants[node.input[1]]) % count)}
    operands = [constants.get(name) for name in node.input[1:]]
    is_row = node.op_type == "Slice" and len(operands) > 2 and all(each is not None and each.size == 1 for each in operands)
    if is_row and operands[2].item() == 0 and operands[1].item() == operands[0].item() + 1 and 0 <= operands[0].item() < count:
        return {node.output[0]: (transpose, operands[0].item())}
    return {}


def _taken(graph, out: str, transpose, index: int, shapes) -> list:
    shape, (axis, *order) = shapes[transpose.input[0]], _order(transpose, shapes)
    numbers = {"rows": [*shape[:axis + 1], math.prod(shape[axis + 1:])], "begin": [index], "end": [index + 1], "axis": [axis],
               "rest": [*shape[:axis], *shape[axis + 1:]]}
    for what, value in numbers.items():
        graph.initializer.append(numpy_helper.from_array(np.array(value, np.int64), f"{_PREFIX}{out}_{what}"))
    names = {what: f"{_PREFIX}{out}_{what}" for what in numbers}
    values = [f"{_PREFIX}{out}_{place}" for place in range(3)]
    return [helper.make_node("Reshape", [transpose.input[0], names["rows"]], values[:1]),
            helper.make_node("Slice", [values[0], names["begin"], names["end"], names["axis"]], [values[1]]),
            helper.make_node("Reshape", [values[1], names["rest"]], [values[2]]),
            helper.make_node("Transpose", [values[2]], [out], perm=[each - (each > axis) for each in order])]
