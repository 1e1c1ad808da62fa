# SPDX-License-Identifier: Apache-2.0
"""Answers what `ngb plan` asks about the shapes of a user's ONNX file: which of several sets of shapes fit the graph,
which node contradicts the others, which integers an input may hold because it indexes a table of the file, whether a
table is read beyond its rows, and how many weights are subnormal, also in files beside it. The package onnx is the
toolchain's."""
import json
import os
import re
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

from ngraphbench import onnx_constants, table_rows

_LARGEST = 1 << 12  # elements; a larger initializer decides no shape
_MOST_COUNTED = 1 << 28  # weights: 1 GiB of f32, which is read in a second or two


def answer() -> None:
    """Read {"file", "shapes": [{input: [extent, …]}, …], "values": [{input: [least, largest]}, …], "stops_at_fit"} and
    print {"problems": ["" or why not, …], "ranges": {input: [least, largest]}, "beyond": "" or which table the first of
    the shapes read beyond its rows, "not_compared": {output: kind}, "subnormal": [weights, of so many]}. If it stops at
    the first shapes that fit, the problems end with these, and such a table is a problem."""
    question = json.loads(sys.stdin.read())
    model = onnx.load(question["file"], load_external_data=False)
    ranges = table_rows.ranges(model.graph)
    found = {"ranges": ranges, "not_compared": _not_compared(model.graph),
             "subnormal": _subnormal(model.graph, os.path.dirname(question["file"]))}
    _drop_weights(model)
    problems, beyond = [], []
    for shapes, values in zip(question["shapes"], question["values"]):
        values = {**values, **ranges} if question["stops_at_fit"] else values
        problem = _problem(model, shapes)
        beyond.append("" if problem else table_rows.beyond(model, shapes, values))
        problems.append(problem or (beyond[-1] if question["stops_at_fit"] else ""))
        if question["stops_at_fit"] and not problems[-1]:
            break
    print(json.dumps({"problems": problems, "beyond": next(iter(beyond), ""), **found}))


def _drop_weights(model) -> None:
    """Turn large initializers into inputs, and forget the shapes that the file declares for its outputs, which may be
    wrong."""
    graph = model.graph
    given = {slot.name for slot in graph.input}
    for place in reversed(range(len(graph.initializer))):
        each = graph.initializer[place]
        count = 1
        for extent in each.dims:
            count *= extent
        if count <= _LARGEST and each.data_location != onnx.TensorProto.EXTERNAL:
            continue
        if each.name not in given:
            graph.input.append(helper.make_tensor_value_info(each.name, each.data_type, each.dims))
        del graph.initializer[place]
    for output in graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")
    del graph.value_info[:]


def _problem(model, shapes) -> str:
    """Return why the graph contradicts these shapes of its inputs, or "" if nothing was found."""
    tried = onnx.ModelProto()
    tried.CopyFrom(model)
    for slot in tried.graph.input:
        if slot.name in shapes:
            slot.type.tensor_type.shape.CopyFrom(helper.make_tensor_value_info(
                slot.name, onnx.TensorProto.FLOAT, shapes[slot.name]).type.tensor_type.shape)
    own = {slot.name: [extent.dim_value for extent in slot.type.tensor_type.shape.dim] for slot in tried.graph.input}
    try:
        onnx_constants.compute(tried, {**own, **shapes})
        onnx.shape_inference.infer_shapes(tried, strict_mode=True, data_prop=True)
    except Exception as error:  # the package raises several types
        lines = [line.strip() for line in re.sub(r"\[\w+\]|Inference error\(s\):", "", str(error)).splitlines()]
        return " ".join(next((line for line in lines if line), type(error).__name__).split())
    return ""


def _subnormal(graph, folder) -> list:
    """Return how many f32 weights are subnormal, and how many there are; of a large file, among its first ones."""
    subnormal = count = 0
    for each in graph.initializer:
        if each.data_type != onnx.TensorProto.FLOAT or count >= _MOST_COUNTED:
            continue
        weights = onnx.TensorProto()
        weights.CopyFrom(each)
        try:
            sizes = np.abs(numpy_helper.to_array(weights, folder))
        except Exception:  # its data are missing or damaged, which is said elsewhere; the package raises several types
            continue
        subnormal += int(np.count_nonzero((sizes > 0) & (sizes < np.finfo(np.float32).tiny)))
        count += sizes.size
    return [subnormal, count]


def _not_compared(graph) -> dict:
    """Return the kinds of the outputs that are no tensors of numbers."""
    found = {}
    for output in graph.output:
        kind = output.type.WhichOneof("value")
        if kind == "tensor_type" and output.type.tensor_type.elem_type == onnx.TensorProto.STRING:
            found[output.name] = "text"
        elif kind == "map_type" or (kind == "sequence_type" and
                                    output.type.sequence_type.elem_type.WhichOneof("value") == "map_type"):
            found[output.name] = "a sequence of maps" if kind == "sequence_type" else "a map"
    return found
