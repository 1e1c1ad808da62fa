# SPDX-License-Identifier: Apache-2.0
"""Finds the tables of an ONNX graph that are read by row (embeddings, positions): which inputs index them, and whether
given shapes and values read beyond their last row, which some compilers do without an error. The package onnx is the
toolchain's."""
import math

import numpy as np
from onnx import helper, numpy_helper

from ngraphbench import onnx_constants
from ngraphbench.onnx_file import opset_of

# Operators that hand an index on without changing it.
_CARRIERS = ("Cast", "Identity", "Unsqueeze", "Squeeze", "Reshape", "Flatten", "Slice", "Transpose", "Expand", "Split")
_TABLE_CARRIERS = ("DequantizeLinear", "Cast", "Identity")
_USUAL = (0, 1)  # the integers of an input without a range
_MOST_ELEMENTS = 1 << 20  # of a value that is computed here
_MOST_NODES = 200  # that lead to one index


class _Unknown(Exception):
    """A value cannot be computed here."""


def beyond(model, shapes, values) -> str:
    """Return which table is read beyond its rows when inputs have these shapes and ranges, or "". `values` has None for
    an input whose values are not known. An input with a range is at one of its ends; inputs without one may hold 0 and 1,
    and do not decide."""
    makers = {name: node for node in model.graph.node for name in node.output}
    arrays = {each.name: each for each in model.graph.initializer}
    sizes = {slot.name: [extent.dim_value for extent in slot.type.tensor_type.shape.dim] for slot in model.graph.input}
    types = {slot.name: slot.type.tensor_type.elem_type for slot in model.graph.input}

    def inputs(place, usual):
        found = {}
        for name in shapes:
            ends = values.get(name, (usual, usual))
            if ends is not None and name in types:
                found[name] = np.full(shapes[name], ends[place], helper.tensor_dtype_to_np_dtype(types[name]))
        return found

    def rows_of(name):
        while name in makers and makers[name].op_type in _TABLE_CARRIERS:
            name = makers[name].input[0]
        dims = list(arrays[name].dims) if name in arrays else sizes.get(name, []) if name not in shapes else []
        return dims[0] if len(dims) > 1 else None

    for node in model.graph.node:
        axis = next((each.i for each in node.attribute if each.name == "axis"), 0)
        rows = rows_of(node.input[0]) if node.op_type == "Gather" and axis == 0 else None
        if not rows:
            continue
        for place in (0, 1):
            read = []
            for usual in _USUAL:
                index = _value(node.input[1], makers, arrays, inputs(place, usual), opset_of(model))
                read.append(None if index is None else _row_beyond(index, rows))
            if all(row is not None for row in read):
                return _sentence(node, rows, read[0], makers, shapes)
    return ""


def _row_beyond(index, rows):
    """Return an element of the index that is no row of the table, or None."""
    outside = index[(index >= rows) | (index < -rows)]
    return int(outside.max()) if outside.size else None


def _sentence(node, rows, row, makers, shapes) -> str:
    name = node.input[1]
    while name in makers and makers[name].op_type in _CARRIERS:
        name = makers[name].input[0]
    if name in shapes:
        return f'input "{name}" goes to {row}, its table has rows 0 to {rows - 1}'
    sizes = ", ".join(f"{each} {list(shape)}" for each, shape in shapes.items())
    return f'Gather "{node.name or node.output[0]}" reads row {row} of a table with rows 0 to {rows - 1} at {sizes}'


def _value(name, makers, arrays, known, opset):
    """Return the value as an array, or None if it follows from more than inputs, small constants and standard nodes."""
    try:
        for node in _nodes_behind(name, makers, known):
            if not onnx_constants.is_a_function_of_operands(node):
                return None
            operands = [_operand(each, arrays, known) for each in node.input]
            known.update(zip(node.output, onnx_constants.evaluate(node, operands, opset)))
            if any(known[each].size > _MOST_ELEMENTS for each in node.output if each):
                return None
        value = _operand(name, arrays, known)
    except Exception:  # any error is possible here, and compilers report theirs
        return None
    return value if value is not None and value.dtype.kind in "iu" else None


def _operand(name, arrays, known):
    if name and name not in known:
        if name not in arrays or math.prod(arrays[name].dims) > _MOST_ELEMENTS:
            raise _Unknown(name)
        known[name] = numpy_helper.to_array(arrays[name])
    return known.get(name)


def _nodes_behind(name, makers, known) -> list:
    """Return the nodes that make the value, in an order in which they can be computed."""
    found, open_, seen = [], [name], set()
    while open_:
        each = open_[-1]
        node = makers.get(each)
        missing = [] if node is None or each in known else [one for one in node.input if one in makers and one not in seen]
        if missing:
            seen.update(missing)
            open_ += missing
            continue
        open_.pop()
        if node is not None and each not in known and not any(node is one for one in found):
            found.append(node)
        if len(found) > _MOST_NODES:
            raise _Unknown(name)
    return found


def ranges(graph) -> dict:
    """Return {input: [0, the last row of the smallest table that it indexes]}."""
    rows = {each.name: each.dims[0] for each in graph.initializer if len(each.dims) > 1}
    users = {}
    for node in graph.node:
        if node.op_type in _TABLE_CARRIERS and node.input[0] in rows:
            rows[node.output[0]] = rows[node.input[0]]
        for name in node.input:
            users.setdefault(name, []).append(node)
    found = {}
    for slot in graph.input:
        counts = _rows_indexed(slot.name, users, rows, set())
        if counts:
            found[slot.name] = [0, min(counts) - 1]
    return found


def _rows_indexed(name, users, rows, seen) -> list:
    """Return the numbers of rows of the tables that the value indexes."""
    if name in seen:
        return []
    seen.add(name)
    counts = []
    for node in users.get(name, []):
        if node.op_type in _CARRIERS and node.input[0] == name:
            for output in node.output:
                counts += _rows_indexed(output, users, rows, seen)
        elif node.op_type == "Gather" and node.input[1] == name and node.input[0] in rows:
            if all(attribute.name != "axis" or attribute.i == 0 for attribute in node.attribute):
                counts.append(rows[node.input[0]])
        elif node.op_type == "EmbedLayerNormalization":
            counts += [rows[node.input[table]] for place, table in ((0, 2), (1, 4))
                       if node.input[place] == name and node.input[table] in rows]
    return counts
