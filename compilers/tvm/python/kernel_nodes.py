# SPDX-License-Identifier: Apache-2.0
"""Which ONNX nodes the kernels of a Relax module stand for: those whose weights they receive. Relax gives all values new
names; weights keep their content."""
import hashlib
import re

import numpy
from ngraphbench.onnx_file import node_names
from onnx import numpy_helper


# Operators without weights, as TVM names them in a kernel's name, and as ONNX does.
_WITHOUT_WEIGHTS = {"max_pool2d": ("MaxPool",), "avg_pool2d": ("AveragePool",), "softmax": ("Softmax",),
                    "mean": ("GlobalAveragePool", "ReduceMean"), "matmul": ("MatMul",)}


def kernels_of(module, graph):
    """Return [{"kernel": name, "nodes": [names], "found_by"}] of the module's calls in their order. `graph` is the
    onnx.GraphProto, or None. A weight whose content several nodes use says nothing."""
    kernels = _by_weights(module, {} if graph is None else _owners(graph))
    if graph is not None:
        _add_by_order(kernels, graph)
    return kernels


def _by_weights(module, owners):
    kernels = []
    for block in module["main"].body.blocks:
        for binding in block.bindings:
            call = binding.value
            if getattr(getattr(call, "op", None), "name", "") != "relax.call_tir":
                continue
            found = [owners.get(_key(each)) for each in _constants(call.args)]
            nodes = sorted({each for each in found if each})
            kernels.append({"kernel": str(call.args[0].name_hint), "nodes": nodes, "found_by": "weights" if nodes else ""})
    return kernels


def _add_by_order(kernels, graph):
    """Give kernels without weights the nodes of their operator in the file's order, if there are as many as kernels."""
    taken = {node for kernel in kernels for node in kernel["nodes"]}
    for operator, types in _WITHOUT_WEIGHTS.items():
        free = [name for name, node in zip(node_names(graph), graph.node) if node.op_type in types and name not in taken]
        pattern = re.compile(rf"(^|_){operator}\d*(_|$)")
        places = [kernel for kernel in kernels if not kernel["nodes"] and pattern.search(kernel["kernel"])]
        if len(free) == len(places):
            for kernel, node in zip(places, free):
                kernel.update(nodes=[node], found_by="order")


def _constants(arguments):
    """Yield the arguments that are constants, as arrays. Their class differs between versions of TVM."""
    for each in arguments:
        if hasattr(each, "fields"):
            yield from _constants(each.fields)
            continue
        tensor = getattr(each, "value", None) if hasattr(each, "value") else getattr(each, "data", None)
        if hasattr(tensor, "numpy"):
            yield tensor.numpy()


def _owners(graph):
    """Return {content of a weight: the only node that uses this content}."""
    content = {each.name: _key(numpy_helper.to_array(each)) for each in graph.initializer}
    users = {}
    for name, node in zip(node_names(graph), graph.node):
        for value in node.input:
            if value in content:
                users.setdefault(content[value], set()).add(name)
    return {key: names.pop() for key, names in users.items() if len(names) == 1}


def _key(array):
    """Return a digest of an array's elements in their order: TVM may give a weight further axes of one."""
    return array.size, hashlib.sha256(numpy.ascontiguousarray(array).tobytes()).digest()
