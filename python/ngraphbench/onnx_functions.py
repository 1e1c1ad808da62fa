# SPDX-License-Identifier: Apache-2.0
"""Replaces functions in an ONNX graph by their bodies: those that the model defines itself, and those operators that
the ONNX standard defines by others (Attention, AffineGrid, HannWindow, …) and that a compiler lacks."""
from typing import Callable

import onnx
import onnx.inliner
from onnx import defs

from ngraphbench.onnx_file import STANDARD_DOMAINS, opset_of

_DEPTH = 4  # bodies refer to further functions
_LOCAL = "ngraphbench.bodies"


def inline(model, is_known: Callable[[str], bool]):
    """Return a model without the model's own functions, and without the standard's for which `is_known` (of the
    operator's name) is false. The same model is returned if it has none of them."""
    if model.functions:
        model = onnx.inliner.inline_local_functions(model)
    for _ in range(_DEPTH):
        opset = opset_of(model)
        names = {node.op_type for node in _nodes(model.graph) if node.domain in STANDARD_DOMAINS}
        lacking = sorted(name for name in names if not is_known(name) and _has_body(name, opset))
        if not lacking:
            return model
        complete = onnx.ModelProto()
        complete.CopyFrom(model)
        for node in _nodes(complete.graph):
            if node.domain in STANDARD_DOMAINS and node.op_type in lacking:
                _add_defaults(node, opset)
        model = onnx.shape_inference.infer_shapes(complete)  # a body can depend on the types of the node's operands
        _make_local(model, lacking, opset)
        model = onnx.inliner.inline_selected_functions(model, [("", name) for name in lacking],
                                                       inline_schema_functions=True)
    return model


def _make_local(model, names, opset: int) -> None:
    """Turn nodes at which the inliner fails, because an operand is left out or an initializer, into calls of functions
    of the model, and inline those."""
    graph = model.graph
    types = {slot.name: slot.type for slot in (*graph.input, *graph.value_info, *graph.output)}
    untyped = {""} | {each.name for each in graph.initializer if each.name not in types}
    for each in graph.initializer:
        types[each.name] = onnx.helper.make_tensor_type_proto(each.data_type, list(each.dims))
    count = 0
    for node in graph.node:
        if node.domain not in STANDARD_DOMAINS or node.op_type not in names or not untyped & set(node.input):
            continue
        schema = defs.get_schema(node.op_type, opset)
        if not schema.has_context_dependent_function:
            continue
        operands = [types.get(name, onnx.TypeProto()).SerializeToString() for name in node.input]
        body = onnx.FunctionProto()
        body.ParseFromString(schema.get_context_dependent_function(node.SerializeToString(), operands))
        count += 1
        body.domain = node.domain = _LOCAL
        body.name = node.op_type = f"{node.op_type}{count}"
        model.functions.append(body)
    if count:
        model.opset_import.append(onnx.helper.make_opsetid(_LOCAL, 1))
        model.CopyFrom(onnx.inliner.inline_local_functions(model))


def _add_defaults(node, opset: int) -> None:
    """Give the node its attributes' default values, of which the inliner knows nothing."""
    given = {attribute.name for attribute in node.attribute}
    for name, attribute in defs.get_schema(node.op_type, opset).attributes.items():
        if name not in given and attribute.default_value.name:
            node.attribute.add().CopyFrom(attribute.default_value)


def _nodes(graph):
    """Yield the graph's nodes and those of the graphs within."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _nodes(attribute.g)


def _has_body(name: str, opset: int) -> bool:
    try:
        schema = defs.get_schema(name, opset)
    except defs.SchemaError:
        return False
    return schema.has_function or schema.has_context_dependent_function
