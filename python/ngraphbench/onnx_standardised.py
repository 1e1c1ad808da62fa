# SPDX-License-Identifier: Apache-2.0
"""Computes weights that a model standardises itself, for compilers whose convolutions and batch normalisations need constants. Nets
that normalise weights in place of activations, such as NFNet, are exported with a BatchNormalization in training mode of each
weight. The package onnx is the toolchain's."""
from onnx import numpy_helper

from ngraphbench import onnx_constants
from ngraphbench.onnx_file import opset_of


def write(model) -> None:
    """Change the onnx.ModelProto: what follows from initializers alone, through a BatchNormalization in training mode, becomes an
    initializer. All other weights are left to the compiler."""
    graph = model.graph
    outputs = {output.name for output in graph.output}
    weights = {each.name: each for each in graph.initializer}
    makers, made = {}, set()  # {value that needs no input of the model: its node}; those of them that are standardised
    for node in graph.node:
        given = set(filter(None, node.input))
        is_fixed = given and given <= {*weights, *makers} and not outputs & set(node.output)
        if not is_fixed or not onnx_constants.is_a_function_of_operands(node):
            continue
        makers.update({name: node for name in node.output if name})
        if made & given or _is_training(node):
            made.update(filter(None, node.output))
    if not made:
        return
    rest = [node for node in graph.node if not made & set(node.output)]
    opset = opset_of(model)
    new = [numpy_helper.from_array(_value(name, weights, makers, opset), name)
           for name in sorted(made & onnx_constants.names_used(rest))]
    rest = _without_unused(rest, set(makers), outputs)
    needed = onnx_constants.names_used(rest) | outputs
    old = [each for each in graph.initializer if each.name in needed]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(rest)
    graph.initializer.extend((*old, *new))


def _is_training(node) -> bool:
    return node.op_type == "BatchNormalization" and any(each.name == "training_mode" and each.i for each in node.attribute)


def _value(name: str, weights, makers, opset: int):
    """Return the array of one value. Those on the way to it are forgotten, because they are as large as weights."""
    known = {"": None}

    def array_of(each):
        if each in weights:
            return numpy_helper.to_array(weights[each])
        if each not in known:
            node = makers[each]
            results = onnx_constants.evaluate(node, [array_of(operand) for operand in node.input], opset)
            known.update(zip(node.output, results))
        return known[each]

    return array_of(name)


def _without_unused(nodes, spare: set, outputs: set) -> list:
    """Return the nodes without those that make a value of `spare` that nothing uses."""
    needed = outputs | onnx_constants.names_used(node for node in nodes if not spare & set(node.output))
    kept = []
    for node in reversed(nodes):
        if needed & set(node.output) or not spare & set(node.output):
            kept.append(node)
            needed |= set(node.input)
    return kept[::-1]
