# SPDX-License-Identifier: Apache-2.0
"""Adds converters that onnx2torch has only for older opsets, and corrects one. Importing this file registers them,
except those that a newer onnx2torch has itself."""
import math

import torch
from onnx2torch.node_converters import get_converter
from onnx2torch.node_converters.flatten import OnnxFlatten
from onnx2torch.node_converters.reduce import OnnxReduceStaticAxes
from onnx2torch.node_converters.registry import add_converter
from onnx2torch.utils.common import (OnnxMapping, OnnxToTorchModule, OperationConverterResult, get_const_value,
                                     onnx_mapping_from_node)

_REDUCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "SumSquare")


class EqualParts(torch.nn.Module, OnnxToTorchModule):
    """Splits into equal parts, of which the last may be smaller."""

    def __init__(self, axis: int, parts: int):
        super().__init__()
        self._axis, self._parts = axis, parts

    def forward(self, tensor):
        return torch.split(tensor, -(-tensor.shape[self._axis] // self._parts), dim=self._axis)


class Triangle(torch.nn.Module, OnnxToTorchModule):
    def __init__(self, is_upper: bool):
        super().__init__()
        self._cut = torch.triu if is_upper else torch.tril

    def forward(self, tensor, diagonal=None):
        return self._cut(tensor, 0 if diagonal is None else int(diagonal))


def _flatten(self, tensor):
    """Flatten before the first and after the last axis too, where onnx2torch fails."""
    before = tensor.shape[:self.axis]
    return tensor.reshape(math.prod(before), math.prod(tensor.shape[len(before):]))


def _as_before(version: int, is_as_before=lambda node: True):
    """Convert a node like the older version of its operator, if it uses nothing newer."""

    def convert(node, graph):
        if not is_as_before(node):
            raise NotImplementedError(f"{node.operation_type} with the additions of opset 18")
        return get_converter(node.operation_type, version)(node, graph)

    return convert


def _reduction(node, graph):
    """Convert a reduction whose axes are an input."""
    axes = None
    if len(node.input_values) == 2 and node.input_values[1]:
        try:
            axes = get_const_value(node.input_values[1], graph).tolist()
        except KeyError:
            raise NotImplementedError(f"{node.operation_type} over axes that are computed") from None
    if not axes and node.attributes.get("noop_with_empty_axes", 0):
        module = torch.nn.Identity()
    else:
        module = OnnxReduceStaticAxes(node.operation_type, axes, node.attributes.get("keepdims", 1))
    return OperationConverterResult(module, OnnxMapping((node.input_values[0],), node.output_values))


def _split(node, graph):
    if len(node.input_values) == 2 and node.input_values[1]:
        return get_converter("Split", 13)(node, graph)
    return OperationConverterResult(EqualParts(node.attributes.get("axis", 0), len(node.output_values)),
                                    onnx_mapping_from_node(node))


def _trilu(node, graph):
    return OperationConverterResult(Triangle(bool(node.attributes.get("upper", 1))), onnx_mapping_from_node(node))


def _add(operator: str, version: int, convert) -> None:
    try:
        add_converter(operator, version)(convert)
    except ValueError:  # onnx2torch has it
        pass


OnnxFlatten.forward = _flatten
for _name in ("GreaterOrEqual", "LessOrEqual"):
    _add(_name, 16, _as_before(12))
for _name in _REDUCTIONS:
    _add("Reduce" + _name, 18, _reduction)
_add("Split", 18, _split)
_add("Trilu", 14, _trilu)
_add("Pad", 18, _as_before(13, lambda node: len(node.input_values) < 4))
_add("Resize", 18, _as_before(13, lambda node: not {"antialias", "axes", "keep_aspect_ratio_policy"}
                              & set(node.attributes)))
_add("ScatterND", 18, _as_before(16, lambda node: node.attributes.get("reduction", "none") in ("none", "add", "mul")))
