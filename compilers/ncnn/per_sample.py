# SPDX-License-Identifier: Apache-2.0
"""Makes of a model for a batch the model for one of its samples. ncnn's layers are those of one sample: the batch is a property of
the values that it is given, and where batches are part of a graph's shapes pnnx cannot always follow them."""
from typing import List, Sequence

import numpy as np
import onnx
from onnx import numpy_helper

from ngraphbench import onnx_constants, onnx_file

# Each sample's result is that sample's, if the shapes keep the samples in the first axis.
_BY_SAMPLE = frozenset("""
Abs Acos Acosh Add And Asin Asinh Atan Atanh AveragePool BatchNormalization Cast Ceil Celu Clip Conv ConvTranspose Cos Cosh
DepthToSpace Div Dropout Elu Equal Erf Exp Expand Flatten Floor Gelu Gemm GlobalAveragePool GlobalMaxPool Greater
GreaterOrEqual GroupNormalization HardSigmoid HardSwish Identity InstanceNormalization LRN LayerNormalization LeakyRelu Less
LessOrEqual Log MatMul Max MaxPool Min Mish Mod Mul Neg Not Or PRelu Pow RMSNormalization Reciprocal ReduceL1 ReduceL2
ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize Round Selu Sigmoid Sign Sin Sinh
Softplus Softsign SpaceToDepth Sqrt Squeeze Sub Sum Swish Tan Tanh ThresholdedRelu Transpose Unsqueeze Where Xor""".split())
_ALONG_AXES = frozenset(("Concat", "Gather", "Hardmax", "LogSoftmax", "Pad", "Slice", "Softmax", "Split"))
_FIRST_BY_DEFAULT = ("Gather", "Split")
_SUFFIX = "/of_a_sample"


class _Refusal(Exception):
    """Why a model is not one of independent samples."""


def write(model, batch: int) -> str:
    """Change the onnx.ModelProto, whose inputs have the cell's shapes. Return "", or why not: then it is what it was."""
    nodes, weights = list(map(_copy, model.graph.node)), len(model.graph.initializer)
    slots = [*onnx_file.inputs_of(model), *model.graph.output]
    shapes = list(map(_copy, slots))
    try:
        _Change(model, batch).apply()
        return ""
    except (_Refusal, onnx.shape_inference.InferenceError) as error:
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        del model.graph.initializer[weights:]
        for slot, shape in zip(slots, shapes):
            slot.CopyFrom(shape)
        return str(error).splitlines()[0]


class _Change:
    def __init__(self, model, batch: int):
        self._model, self._batch = model, batch
        self._before = onnx_constants.shapes_of(model)
        self._constants = {each.name: each for each in model.graph.initializer}
        self._varying = {slot.name for slot in onnx_file.inputs_of(model)}

    def apply(self) -> None:
        for name in self._varying:
            self._sample_of(name, f'input "{name}"')
        for node in self._model.graph.node:
            if any(each.HasField("g") or each.graphs for each in node.attribute):
                raise _Refusal(f"{node.op_type} has a graph within")
            if self._varying & set(node.input):
                self._keep_apart(node)
            elif node.op_type == "Expand" and all(name in self._constants for name in node.input):
                operands = [numpy_helper.to_array(self._constants[name]) for name in node.input]
                self._constants[node.output[0]] = numpy_helper.from_array(np.array(np.broadcast_to(operands[0], operands[1])))
        for slot in (*onnx_file.inputs_of(self._model), *self._model.graph.output):
            extent = self._sample_of(slot.name, f'output "{slot.name}"')[0]
            if slot.type.tensor_type.HasField("shape"):
                slot.type.tensor_type.shape.dim[0].dim_value = extent
        after = onnx_constants.shapes_of(self._model)
        for node in self._model.graph.node:
            if any(name in self._varying and after.get(name) != self._sample_of(name, node.op_type) for name in node.output):
                raise _Refusal(f"{node.op_type} does not keep samples apart")

    def _sample_of(self, name: str, what: str) -> List[int]:
        """Return the shape of one sample's part of a value."""
        shape = self._before.get(name)
        if not shape or shape[0] % self._batch != 0:
            raise _Refusal(f"the first axis of {what} does not count samples")
        return [shape[0] // self._batch, *shape[1:]]

    def _keep_apart(self, node) -> None:
        if node.op_type not in _BY_SAMPLE | _ALONG_AXES or node.domain not in onnx_file.STANDARD_DOMAINS:
            raise _Refusal(f"{node.op_type} may mix samples")
        outputs = list(filter(None, node.output))
        self._varying.update(outputs)
        sample = self._sample_of(outputs[0], node.op_type)
        together = [name for name in node.input if name in self._varying]
        if len(together) > 1 and len({len(self._before.get(name, ())) for name in (*together, outputs[0])}) > 1:
            raise _Refusal(f"{node.op_type} takes the axis of samples for another one")
        is_table = node.op_type == "Gather" and node.input[0] not in self._varying  # its rows are those of the indices
        if node.op_type in _ALONG_AXES and not is_table and not {0, -len(sample)}.isdisjoint(self._axes(node)):
            raise _Refusal(f"{node.op_type} works along the axis of samples")
        if node.op_type in ("Reshape", "Expand"):
            node.input[1] = self._constant(node.output[0], np.asarray(sample, np.int64))
        else:
            self._take_one(node, self._before[outputs[0]])

    def _axes(self, node) -> List[int]:
        """Return the axes that an operator works along; [0] if they are not known."""
        def operand(place):
            name = node.input[place] if place < len(node.input) else ""
            return numpy_helper.to_array(self._constants[name]).ravel().tolist() if name in self._constants else None

        if node.op_type == "Slice":
            return operand(3) or [0]
        if node.op_type == "Pad":
            pads, axes = operand(1) or [1], operand(3)
            return axes or [0] * any((pads[0], pads[len(pads) // 2]))
        default = 0 if node.op_type in _FIRST_BY_DEFAULT else -1
        return [next((each.i for each in node.attribute if each.name == "axis"), default)]

    def _constant(self, name: str, value) -> str:
        name += _SUFFIX
        if name not in self._constants:
            self._model.graph.initializer.append(numpy_helper.from_array(value, name))
            self._constants[name] = self._model.graph.initializer[-1]
        return name

    def _take_one(self, node, shape: Sequence[int]) -> None:
        """A constant that has the same for each sample, such as a class token, has it once."""
        for place, name in enumerate(node.input):
            dims = list(self._constants[name].dims) if name in self._constants else []
            if len(dims) < 3 or len(dims) != len(shape) or dims[0] != shape[0]:
                continue
            parts = numpy_helper.to_array(self._constants[name]).reshape(self._batch, dims[0] // self._batch, *dims[1:])
            if (parts == parts[:1]).all():
                node.input[place] = self._constant(name, np.ascontiguousarray(parts[0]))


def _copy(message):
    made = type(message)()
    made.CopyFrom(message)
    return made
