# SPDX-License-Identifier: Apache-2.0
"""Writes GELU in a form that MNN's converter does not recognise. Where it finds x · (1 + erf(x / √2)) / 2, as exporters write it
or as the operator Gelu, it puts the approximation by tanh, which differs by up to 5e-4: another function than the model's."""
import math

import numpy as np
from onnx import helper, numpy_helper

_PREFIX = "ngraphbench_gelu_"


def keep(model) -> None:
    """Change the onnx.ModelProto: Gelu becomes elementwise nodes, and a sum's operands change places if the first is an Erf, which
    is what the converter looks for."""
    graph = model.graph
    erfs = {node.output[0] for node in graph.node if node.op_type == "Erf"}
    nodes = []
    for node in graph.node:
        if node.op_type == "Gelu" and not any(each.name == "approximate" and each.s == b"tanh" for each in node.attribute):
            nodes += _exact(graph, node, len(nodes))
            continue
        if node.op_type == "Add" and node.input[0] in erfs:
            node.input[:] = reversed(node.input)
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


def _exact(graph, node, index: int) -> list:
    """x / 2 + x / 2 · erf(x / √2)"""
    factor, half = (_constant(graph, f"{name}_{index}", np.float32(value)) for name, value in
                    (("factor", math.sqrt(0.5)), ("half", 0.5)))
    scaled, erf, halved, product = (f"{_PREFIX}{name}_{index}" for name in ("scaled", "erf", "halved", "product"))
    x = node.input[0]
    return [helper.make_node("Mul", [x, factor], [scaled]), helper.make_node("Erf", [scaled], [erf]),
            helper.make_node("Mul", [x, half], [halved]), helper.make_node("Mul", [halved, erf], [product]),
            helper.make_node("Add", [halved, product], node.output, node.name)]


def _constant(graph, name: str, value) -> str:
    graph.initializer.append(numpy_helper.from_array(np.asarray(value), _PREFIX + name))
    return _PREFIX + name
