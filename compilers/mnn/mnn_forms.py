# SPDX-License-Identifier: Apache-2.0
"""Writes what MNN's converter reads rightly in one form only, and refuses what MNN computes as something else."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from ngraphbench import onnx_file
from ngraphbench.adaptor import CompilerError

_PREFIX = "ngraphbench_form_"
_POOLS = ("AveragePool", "LpPool", "MaxPool")  # the converter takes strides that are left out for 0
_LAST_AXIS = ("LogSoftmax", "OneHot")  # it takes an axis that is left out for the first one, or crashes
_RECURRENT = {"GRU": 2, "LSTM": 3, "RNN": 2}  # it crashes without all these outputs
_ACTIVATIONS = {"GRU": [b"Sigmoid", b"Tanh"], "RNN": [b"Tanh"]}  # that MNN always takes
_JOINED = ("BatchNormalization", "Clip", "Relu")  # it joins them to a convolution of three axes, also where they are an output
_OF_ONE = ("Max", "Mean", "Min", "Sum")  # it crashes if they have one operand
_SUMS = ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceSumSquare")  # it does not see axes that are an operand
# It crashes, or MNN computes something else, if these operands are no constants.
_OF_CONSTANTS = {"BatchNormalization": range(1, 5), "DequantizeLinear": (1, 2), "OneHot": (1,), "QuantizeLinear": (1, 2),
                 "Upsample": (1,)}
_MISREAD = {"BitShift": "MNN does not know BitShift", "Det": "MNN's Det loses the sign",
            "DynamicQuantizeLinear": "MNN's DynamicQuantizeLinear rounds otherwise",
            "Round": "MNN's Round does not round ties to even numbers", "Scan": "MNN's converter crashes at Scan",
            "Shrink": "MNN drops the limits of Shrink"}


def write(model) -> None:
    """Change the onnx.ModelProto. Raises CompilerError with the operator's name."""
    forms = _Forms(model.graph)
    nodes = []
    for node in model.graph.node:
        nodes += forms.of(node) if node.domain in onnx_file.STANDARD_DOMAINS else [node]
    nodes += forms.outputs(nodes)
    del model.graph.node[:]
    model.graph.node.extend(nodes)


class _Forms:
    def __init__(self, graph):
        self._graph, self._constants = graph, {each.name: each for each in graph.initializer}
        self._count = 0

    def of(self, node) -> list:
        attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
        self._refuse_misread(node, attributes)
        kind = node.op_type
        if kind in _POOLS and "strides" not in attributes:
            node.attribute.append(helper.make_attribute("strides", [1] * len(attributes["kernel_shape"])))
        if kind in _LAST_AXIS and "axis" not in attributes:
            node.attribute.append(helper.make_attribute("axis", -1))
        if kind in _RECURRENT:
            given = [name or self._names(1)[0] for name in node.output]
            node.output[:] = given + self._names(_RECURRENT[kind] - len(given))
        if kind == "Dropout" or (kind in _OF_ONE and len(node.input) == 1):
            return [helper.make_node("Identity", node.input[:1], node.output[:1], node.name)]
        if kind == "Less":
            return [helper.make_node("Greater", [node.input[1], node.input[0]], node.output, node.name)]
        if kind == "IsNaN":
            return self._is_nan(node)
        if kind == "OneHot":
            return self._one_hot(node)
        if kind in _SUMS and len(node.input) == 2:
            return self._sum(node, attributes)
        if kind == "LpNormalization":
            return self._normalised(node, attributes)
        return [node]

    def outputs(self, nodes) -> list:
        """Return nodes that are the model's outputs in place of those that would be joined to a convolution of three axes."""
        makers, made = {name: node for node in nodes for name in node.output}, []
        for output in self._graph.output:
            last = before = makers.get(output.name)
            while before is not None and before.op_type in _JOINED:
                before = makers.get(before.input[0])
            if before is last or before is None or before.op_type != "Conv" or len(self._dims(before.input[1])) != 5:
                continue
            (name,) = self._names(1)
            for node in nodes:
                node.input[:] = [name if each == output.name else each for each in node.input]
            last.output[0] = name
            made.append(helper.make_node("Reshape", [name, self._constant(np.array([0, 0, 0, 0, -1]))], [output.name]))
        return made

    def _dims(self, name: str) -> list:
        return list(self._constants[name].dims) if name in self._constants else []

    def _is_nan(self, node) -> list:
        """A number is at least or at most 0."""
        zero, (least, most, number) = self._constant(np.float32(0)), self._names(3)
        return [helper.make_node("GreaterOrEqual", [node.input[0], zero], [least]),
                helper.make_node("LessOrEqual", [node.input[0], zero], [most]),
                helper.make_node("Or", [least, most], [number]), helper.make_node("Not", [number], node.output, node.name)]

    def _one_hot(self, node) -> list:
        """Indices and depth may be real numbers in ONNX; in MNN their bits are read as integers'."""
        depth = numpy_helper.to_array(self._constants[node.input[1]]).astype(np.int32)
        given, (indices,) = node.input[0], self._names(1)
        node.input[:2] = [indices, self._constant(depth)]
        return [helper.make_node("Cast", [given], [indices], to=TensorProto.INT32), node]

    def _sum(self, node, attributes) -> list:
        (x, axes), (before, after) = node.input, self._names(2)
        kept = {name: attributes[name] for name in ("keepdims", "noop_with_empty_axes") if name in attributes}
        made = {"ReduceL1": [helper.make_node("Abs", [x], [before])], "ReduceLogSum": []}.get(
            node.op_type, [helper.make_node("Mul", [x, x], [before])])
        last = {"ReduceL2": "Sqrt", "ReduceLogSum": "Log"}.get(node.op_type, "Identity")
        return [*made, helper.make_node("ReduceSum", [before if made else x, axes], [after], **kept),
                helper.make_node(last, [after], node.output, node.name)]

    def _normalised(self, node, attributes) -> list:
        """A row of zeros stays one."""
        axis = self._constant(np.array([attributes.get("axis", -1)], np.int64))
        x, (parts, norm, divisor) = node.input[0], self._names(3)
        is_square = attributes.get("p", 2) == 2
        made = [helper.make_node("Mul", [x, x], [parts]) if is_square else helper.make_node("Abs", [x], [parts]),
                helper.make_node("ReduceSum", [parts, axis], [norm], keepdims=1)]
        if is_square:
            (norm,), squared = self._names(1), norm
            made.append(helper.make_node("Sqrt", [squared], [norm]))
        tiny = self._constant(np.finfo(np.float32).tiny)
        return [*made, helper.make_node("Max", [norm, tiny], [divisor]),
                helper.make_node("Div", [x, divisor], node.output, node.name)]

    def _refuse_misread(self, node, attributes) -> None:
        kind, given = node.op_type, [name for name in node.input if name]
        lacking = [str(place) for place in _OF_CONSTANTS.get(kind, ())
                   if place < len(given) and given[place] not in self._constants]
        reason = _MISREAD.get(kind)
        if kind == "Mod" and attributes.get("fmod"):
            reason = "MNN's Mod has the sign of the divisor, fmod that of the dividend"
        elif kind == "ScatterND" and attributes.get("reduction", b"none") != b"none":
            reason = "MNN's ScatterND replaces values, and does not add them"
        elif kind == "MaxUnpool" and len(given) > 2:
            reason = "MNN's MaxUnpool reads places as those of the larger output_shape"
        elif kind == "Unique" and not attributes.get("sorted", 1):
            reason = "MNN's Unique sorts"
        elif kind in _RECURRENT and (dropped := _dropped_of(node, attributes)):
            reason = f"MNN drops {', '.join(dropped)} of {kind}"
        elif kind == "ReverseSequence" and attributes.get("time_axis", 0) != 0:
            reason = "MNN's ReverseSequence reverses along the first axis only"
        elif kind == "SoftmaxCrossEntropyLoss" and len(node.output) > 1:
            reason = "MNN's SoftmaxCrossEntropyLoss has one output"
        elif lacking:
            reason = f"MNN's {kind} needs constants as operands {', '.join(lacking)}"
        elif kind == "Dropout" and (len(node.output) > 1 or len(given) > 2):
            reason = "MNN's Dropout has no mask and does not train"
        if reason:
            raise CompilerError("unsupported_operator", reason, "leave this model out for mnn")

    def _constant(self, value) -> str:
        (name,) = self._names(1)
        self._graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def _names(self, count: int) -> list:
        self._count += count
        return [f"{_PREFIX}{index}" for index in range(self._count - count, self._count)]


def _dropped_of(node, attributes) -> list:
    """Return what of a recurrent layer MNN does not see."""
    kind, dropped = node.op_type, [name for name in ("clip", "input_forget", "layout") if attributes.get(name)]
    operands = dict(enumerate(node.input))
    dropped += [name for place, name in ((4, "sequence_lens"), (7, "P")) if operands.get(place)]
    if attributes.get("direction", b"forward") == b"reverse":
        dropped.append("direction")
    usual = _ACTIVATIONS.get(kind)
    if usual and attributes.get("activations", usual) not in (usual, 2 * usual):
        dropped.append("activations")
    if kind == "GRU" and not attributes.get("linear_before_reset"):
        dropped.append("linear_before_reset=0")
    return dropped
