# SPDX-License-Identifier: Apache-2.0
"""Which ONNX nodes the kernels of a Relax module stand for: those whose weights they receive. Relax gives all values new
names; weights keep their content."""
import hashlib

import numpy
from ngraphbench.onnx_file import node_names
from onnx import numpy_helper


def kernels_of(module, graph):
    """Return [{"kernel": name, "nodes": [names]}] of the module's calls in their order. `graph` is the onnx.GraphProto, or
    None. A weight whose content occurs more than once says nothing, unless all its nodes are the kernel's anyway."""
    owners = {} if graph is None else _owners(graph)
    kernels = []
    for block in module["main"].body.blocks:
        for binding in block.bindings:
            call = binding.value
            if getattr(getattr(call, "op", None), "name", "") != "relax.call_tir":
                continue
            found = [owners.get(_key(each)) for each in _constants(call.args)]
            kernels.append({"kernel": str(call.args[0].name_hint), "nodes": sorted({each for each in found if each})})
    return kernels


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
