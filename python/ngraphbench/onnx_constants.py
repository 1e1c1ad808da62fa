# SPDX-License-Identifier: Apache-2.0
"""Computes, before a model is compiled, the parts of its ONNX graph that follow from the inputs' shapes. Exporters
leave whole subgraphs that compute shapes, and some front ends refuse a model with them. The package onnx is the
toolchain's."""
import math
import traceback
from typing import Mapping, Sequence

import numpy as np
import onnx
from onnx import defs, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from ngraphbench.onnx_file import STANDARD_DOMAINS, inputs_of, opset_of

_MOST_ELEMENTS = 1 << 16  # a larger result is not computed here; weights are left to the compiler
_OTHERWISE_EACH_TIME = ("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli",
                        "Multinomial")


class GatherElements(OpRun):
    """onnx.reference's own version fails for more than 64 elements."""

    def _run(self, data, indices, axis=0):
        return (np.take_along_axis(data, indices, axis),)


def evaluate(node, operands: Sequence, opset: int) -> tuple:
    """Return the node's outputs as arrays. `operands` are arrays, None for one that is left out. Raises whatever
    onnx.reference raises, and TypeError if an output is not a tensor."""
    if node.op_type in ("Squeeze", "Unsqueeze") and node.attribute:
        node, operands, opset = _with_axes_as_operand(node, operands)
    evaluator = ReferenceEvaluator(node, opsets={"": min(opset, defs.onnx_opset_version())}, new_ops=[GatherElements])
    results = evaluator.run(None, {name: value for name, value in zip(node.input, operands) if name})
    if any(isinstance(result, list) for result in results):
        raise TypeError(f"{node.op_type} returns a sequence")
    return tuple(np.asarray(result) for result in results)


def _with_axes_as_operand(node, operands):
    """Return the node in its form of opset 13, because onnx.reference fails with the older form."""
    axes = np.array(node.attribute[0].ints, np.int64)
    return (helper.make_node(node.op_type, [node.input[0] or "x", "axes of the node"], node.output),
            [operands[0], axes], 13)


def compute(model, shapes: Mapping[str, Sequence[int]]) -> None:
    """Set the inputs' shapes, and replace what follows from them by constants. If the graph's shapes cannot be
    inferred, it keeps its nodes."""
    for slot in inputs_of(model):
        for dim, extent in zip(slot.type.tensor_type.shape.dim, shapes[slot.name]):
            dim.dim_value = extent
    del model.graph.value_info[:]
    weights = {each.name for each in model.graph.initializer}
    if not any(node.op_type in ("Constant", "ConstantOfShape", "Shape", "Size") or weights.issuperset(node.input)
               for node in model.graph.node):  # an exporter has an Identity for each weight that is equal to another one
        return
    light = _without_weights(model)
    opset = opset_of(model)
    constants = {each.name: numpy_helper.to_array(each) for each in light.graph.initializer}
    known = set(constants)
    try:
        while _compute_once(light, constants, opset):
            pass
    except onnx.shape_inference.InferenceError:
        traceback.print_exc()
        return
    del model.graph.node[:]
    model.graph.node.extend(light.graph.node)
    used = names_used(light.graph.node)
    model.graph.initializer.extend(numpy_helper.from_array(constants[name], name) for name in constants
                                   if name in used and name not in known)


def names_used(nodes) -> set:
    """Return the names of the values that the nodes use, those in graphs within them included."""
    names = set()
    for node in nodes:
        names.update(node.input)
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                names |= names_used(inner.node) | {output.name for output in inner.output}
    return names


def used(nodes, outputs) -> list:
    """Return the nodes that the graph's outputs need, in the same order."""
    needed, kept = set(outputs), []
    for node in reversed(nodes):
        if needed & set(node.output):
            kept.append(node)
            needed |= names_used([node])
    return kept[::-1]


def is_a_function_of_operands(node) -> bool:
    """Whether the node's results follow from its operands alone, and the standard says how."""
    if node.domain not in STANDARD_DOMAINS or node.op_type in _OTHERWISE_EACH_TIME:
        return False
    return not any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute)


def shapes_of(model) -> dict:
    """Return {value: its shape} for the values whose shapes follow from the inputs'. Raises onnx.shape_inference.InferenceError."""
    inferred = onnx.shape_inference.infer_shapes(_without_weights(model), data_prop=True).graph
    shapes = {value.name: _static_shape(value) for value in (*inferred.input, *inferred.value_info, *inferred.output)}
    return {name: shape for name, shape in shapes.items() if shape is not None}


def _without_weights(model):
    """Return a copy in which large initializers are inputs, because only their shapes matter here."""
    graph = model.graph
    small, slots = [], list(graph.input)
    given = {slot.name for slot in slots}
    for each in graph.initializer:
        if math.prod(each.dims) <= _MOST_ELEMENTS:
            small.append(each)
        elif each.name not in given:
            slots.append(helper.make_tensor_value_info(each.name, each.data_type, each.dims))
    light = helper.make_graph(graph.node, graph.name, slots, graph.output, small)
    return helper.make_model(light, opset_imports=model.opset_import, functions=model.functions,
                             ir_version=model.ir_version)


def _compute_once(model, constants, opset: int) -> bool:
    """Return whether more nodes became constants, from which others may follow."""
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    shapes = {value.name: _static_shape(value) for value in (*inferred.input, *inferred.value_info, *inferred.output)}
    outputs = {output.name for output in model.graph.output}
    kept = []
    for node in list(model.graph.node):
        results = None if outputs & set(node.output) else _results(node, constants, shapes, opset)
        if results is None:
            kept.append(node)
            continue
        for name, value in zip(node.output, results):
            if name:  # "" is an output that is left out
                constants[name] = value
                model.graph.initializer.append(numpy_helper.from_array(value, name))
    is_more = len(kept) < len(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend(kept)
    return is_more


def _static_shape(value):
    """Return the shape, or None if it is unknown."""
    if not value.type.tensor_type.HasField("shape"):
        return None
    dims = value.type.tensor_type.shape.dim
    return [dim.dim_value for dim in dims] if all(dim.HasField("dim_value") for dim in dims) else None


def _results(node, constants, shapes, opset: int):
    """Return arrays, with None for those that depend on more than shapes."""
    if not is_a_function_of_operands(node):
        return None
    if node.op_type == "Shape" and shapes.get(node.input[0]) is not None:
        ends = {attribute.name: attribute.i for attribute in node.attribute}
        return (np.array(shapes[node.input[0]], np.int64)[ends.get("start", 0):ends.get("end")],)
    if not all(name in constants for name in node.input if name):
        return None
    try:
        results = evaluate(node, [constants.get(name) for name in node.input], opset)
    except Exception:  # any error is possible here, and the compiler may support the node
        return None
    return results if all(result.size <= _MOST_ELEMENTS for result in results) else None
