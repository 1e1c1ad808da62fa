# SPDX-License-Identifier: Apache-2.0
"""onnx2torch keeps shapes, bounds and indices as tensors even if they are constants, into which PyTorch's compilers cannot
see while they trace. This turns them into numbers of the graph."""
import torch
from onnx2torch.node_converters.expand import OnnxExpand
from onnx2torch.node_converters.gather import OnnxGather
from onnx2torch.node_converters.reshape import OnnxReshape
from onnx2torch.node_converters.slice import OnnxSlice
from onnx2torch.node_converters.tile import OnnxTile


def _reshape(tensor, extents):
    return tensor.reshape([tensor.shape[axis] if extent == 0 else extent for axis, extent in enumerate(extents)])


def _expand(tensor, extents):
    return tensor.expand(torch.broadcast_shapes(tensor.shape, extents))


def _slice(tensor, starts, ends, axes=None, steps=None):
    bounds = [slice(None)] * tensor.dim()
    for index, axis in enumerate(axes or range(len(starts))):
        bounds[axis] = slice(starts[index], ends[index], steps[index] if steps else 1)
    return tensor[tuple(bounds)]


_FUNCTIONS = {OnnxReshape: _reshape, OnnxExpand: _expand, OnnxSlice: _slice, OnnxTile: torch.Tensor.repeat}


def fix(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Change the module and return it."""
    for node in list(module.graph.nodes):
        if node.op == "call_module" and isinstance(module.get_submodule(node.target), OnnxGather):
            _select(module, node)
            continue
        function = _FUNCTIONS.get(type(module.get_submodule(node.target))) if node.op == "call_module" else None
        if function is None or not all(_is_constant(module, argument) for argument in node.args[1:]):
            continue
        numbers = [tuple(_attribute(module, argument).tolist()) for argument in node.args[1:]]
        if function is _slice and len(numbers) == 4 and min(numbers[3]) < 0:
            continue  # PyTorch has no such slices
        with module.graph.inserting_before(node):
            node.replace_all_uses_with(module.graph.call_function(function, (node.args[0], *numbers)))
        module.graph.erase_node(node)
    module.recompile()
    return module


def _select(module, node) -> None:
    """Replace the node by a call of torch.select if its index is one number that the graph holds."""
    index = node.args[1]
    if not (isinstance(index, torch.fx.Node) and index.op == "get_attr" and _attribute(module, index).dim() == 0):
        return
    axis, number = module.get_submodule(node.target)._axis, int(_attribute(module, index))
    with module.graph.inserting_before(node):
        node.replace_all_uses_with(module.graph.call_function(torch.select, (node.args[0], axis, number)))
    module.graph.erase_node(node)


def _is_constant(module, argument) -> bool:
    """Return whether the argument is a vector that the graph holds."""
    return isinstance(argument, torch.fx.Node) and argument.op == "get_attr" and _attribute(module, argument).dim() == 1


def _attribute(module, node):
    owner, _, name = node.target.rpartition(".")
    return getattr(module.get_submodule(owner), name)
