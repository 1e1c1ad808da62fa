# SPDX-License-Identifier: Apache-2.0
"""How far a profile's kernels account for an ONNX file's nodes: by name, or by what surrounds them. It is written apart
from the program's own closure, so that each can show the other's mistakes. Needs the package onnx."""
import collections

import onnx
from ngraphbench.onnx_file import node_names

# Operators that a compiler appends to the kernel before them.
LIGHT = {"BatchNormalization", "Add", "Sub", "Mul", "Div", "Relu", "Clip", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish",
         "Gelu", "Erf", "Identity",
         "Cast", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "LeakyRelu", "Softmax", "Pow", "Sqrt"}


class Graph:
    """The nodes of a file that depend on its inputs, in order."""

    def __init__(self, path):
        graph = onnx.load(path, load_external_data=False).graph
        constants = {each.name for each in graph.initializer}
        self.graph_outputs = {each.name for each in graph.output}
        self.nodes, self.types, self.inputs, self.outputs = [], {}, {}, {}
        self.consumers = collections.defaultdict(list)
        for name, node in zip(node_names(graph), graph.node):
            used = [each for each in node.input if each and each not in constants]
            if not used:
                constants.update(node.output)
                continue
            self.nodes.append(name)
            self.types[name], self.inputs[name], self.outputs[name] = node.op_type, used, [o for o in node.output if o]
            for each in used:
                self.consumers[each].append(name)
        self.producer = {output: name for name in self.nodes for output in self.outputs[name]}


def map_nodes(graph, kernels):
    """Return {node: (index of its kernel, how it was found)}: how the kernel says, "closure up" or "closure down"."""
    found, known = {}, set(graph.graph_outputs)
    for index, kernel in enumerate(kernels):
        known.update(kernel["outputs"])
        for node in kernel["nodes"]:
            if node in graph.types:
                found.setdefault(node, (index, kernel["found_by"]))
    changed = True
    while changed:
        changed = _up(graph, found, known) or _down(graph, found, kernels)
    return found


def _up(graph, found, known):
    changed = False
    for node in reversed(graph.nodes):
        if node in found or known & set(graph.outputs[node]):
            continue
        users = {found.get(user, (None, ""))[0] for output in graph.outputs[node] for user in graph.consumers[output]}
        if len(users) == 1 and None not in users:
            found[node], changed = (users.pop(), "closure up"), True
    return changed


def _down(graph, found, kernels):
    for node in graph.nodes:
        if node in found or graph.types[node] not in LIGHT:
            continue
        for value in graph.inputs[node]:
            before = found.get(graph.producer.get(value))
            if before is not None and value not in kernels[before[0]]["outputs"]:
                found[node] = (before[0], "closure down")
                return True
    return False


def count(graph, kernels):
    """Return a Counter of how the nodes were found; "not found" counts the others."""
    found = map_nodes(graph, kernels)
    return collections.Counter(found.get(node, (0, "not found"))[1] for node in graph.nodes)
