# SPDX-License-Identifier: Apache-2.0
"""Writes Resize as products with matrices where MNN computes something else: cubic interpolation reads the wrong pixels before the
first one, and smoothing (antialias), other coefficients, exclude_outside and some coordinates are dropped. Of all modes it drops
the axes."""
import numpy as np
from onnx import helper, numpy_helper

from ngraphbench import onnx_constants, onnx_file, onnx_resize
from ngraphbench.adaptor import CompilerError

_PREFIX = "ngraphbench_resizing_"
_UNKNOWN = ("half_pixel_symmetric", "tf_crop_and_resize")  # coordinates
_NEVER_BEFORE = ("align_corners", "asymmetric")  # the first pixel
_MNN_CUBIC = -0.75  # its coefficient


def write(model) -> None:
    """Change the onnx.ModelProto, whose shapes are known."""
    graph, nodes = model.graph, []
    if not any(node.op_type == "Resize" for node in graph.node):
        return
    shapes = onnx_constants.shapes_of(model)
    constants = {each.name: numpy_helper.to_array(each) for each in graph.initializer if len(each.dims) < 2}
    for node in graph.node:
        is_known = node.op_type == "Resize" and node.domain in onnx_file.STANDARD_DOMAINS and node.input[0] in shapes
        nodes += _Resize(graph, node, shapes[node.input[0]], constants).written() if is_known else [node]
    del graph.node[:]
    graph.node.extend(nodes)


class _Resize:
    def __init__(self, graph, node, shape, constants):
        self._graph, self._node, self._shape = graph, node, shape
        self._attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
        self._scales, self._sizes = (self._operand(place, constants) for place in (2, 3))

    def written(self) -> list:
        if self._scales is None and self._sizes is None:
            if self._is_misread() or "axes" in self._attributes:
                raise self.refusal("neither scales nor sizes are constants")
            return [self._node]
        if not self._is_misread():
            return [self._with_all_axes()]
        found = onnx_resize.plan(self, self._shape, self._scales, self._sizes)
        rank = len(self._shape)
        if not found:
            return [helper.make_node("Identity", self._node.input[:1], self._node.output, self._node.name)]
        if any(each.axis < rank - 2 or each.is_outside is not None for each in found):
            raise self.refusal("along other axes than the last two, or with a region")
        made, name = [], self._node.input[0]
        for each in found:
            weights = each.weights.astype(np.float32)
            out = f"{_PREFIX}{self._node.output[0]}_{each.axis}"
            operands = [self._constant(f"{out}_weights", weights), name] if each.axis == rank - 2 else [
                name, self._constant(f"{out}_weights", np.ascontiguousarray(weights.T))]
            made.append(helper.make_node("MatMul", operands, [out]))
            name = out
        made[-1].output[0], made[-1].name = self._node.output[0], self._node.name
        return made

    def attribute(self, name: str, default=None):
        value = self._attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def refusal(self, what: str) -> CompilerError:
        mode = self.attribute("mode", "nearest")
        return CompilerError("unsupported_operator", f"MNN's Resize by mode {mode} is another than the model's, and cannot be "
                             f"written as a product: {what}", "leave this model out for mnn")

    def _is_misread(self) -> bool:
        mode = self.attribute("mode", "nearest")
        if mode == "nearest":
            return False
        how = self.attribute("coordinate_transformation_mode", "half_pixel")
        is_cut = how == "align_corners" and any(
            abs(extent * scale - round(extent * scale)) > 1e-4  # MNN takes whole lengths
            for extent, scale in zip(self._shape, self._scales or ()))
        if self.attribute("antialias", 0) or how in _UNKNOWN or is_cut:
            return True
        if mode == "linear":
            return False
        return (how not in _NEVER_BEFORE
                or bool(self.attribute("exclude_outside", 0))
                or abs(self.attribute("cubic_coeff_a", _MNN_CUBIC) - _MNN_CUBIC) > 1e-6)

    def _with_all_axes(self):
        if "axes" not in self._attributes or self.attribute("keep_aspect_ratio_policy", "stretch") != "stretch":
            return self._node
        scales, sizes = [1.0] * len(self._shape), list(self._shape)
        for place, axis in enumerate(self._attributes["axes"]):
            if self._sizes is None:
                scales[axis] = self._scales[place]
            else:
                sizes[axis] = self._sizes[place]
        name = f"{_PREFIX}{self._node.output[0]}_axes"
        operands = ["", self._constant(name, np.array(scales, np.float32))] if self._sizes is None else [
            "", "", self._constant(name, np.array(sizes, np.int64))]
        kept = {name: value for name, value in self._attributes.items() if name != "axes"}
        return helper.make_node("Resize", [self._node.input[0], *operands], self._node.output, self._node.name, **kept)

    def _operand(self, place: int, constants):
        value = constants.get(self._node.input[place]) if len(self._node.input) > place else None
        return None if value is None or value.size == 0 else value.tolist()

    def _constant(self, name: str, value) -> str:
        self._graph.initializer.append(numpy_helper.from_array(value, name))
        return name
