# SPDX-License-Identifier: Apache-2.0
"""A node of an ONNX graph, for the operators in this folder."""
import numpy as np
from ngraphbench.adaptor import CompilerError
from onnx import helper


class Node:
    """`opset` is that of the node's domain; `outputs` counts the needed ones and unnamed ones between."""

    def __init__(self, proto, opset):
        self.proto, self.opset = proto, opset
        self.op_type, self.outputs = proto.op_type, len(proto.output)
        self._attributes = {each.name: helper.get_attribute_value(each) for each in proto.attribute}

    def attribute(self, name, default=None):
        value = self._attributes.get(name, default)
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

    def refusal(self, what):
        """Return the error for a form of the operator that is not translated."""
        name = f' (node "{self.proto.name}")' if self.proto.name else ""
        return CompilerError("unsupported_operator", f"xla does not support this form of {self.op_type}{name}: {what}",
                             "leave this model out for xla")

    def known(self, value, what):
        """Return an operand that determines shapes, as a numpy array, because XLA's programs have static shapes."""
        if is_known(value):
            return np.asarray(value)
        raise self.refusal(f"its {what} is computed from the model's inputs, and XLA's shapes are static")

    def integers(self, value, what):
        return [int(each) for each in self.known(value, what).reshape(-1)]

    def axis(self, value, rank):
        axis = int(value)
        if -rank <= axis < max(rank, 1):
            return axis % rank if rank else 0
        raise CompilerError("invalid_model", f"{self.op_type} has axis {axis} for a tensor of rank {rank}",
                            "check the file with onnx.checker")


def is_known(value):
    """Return whether a value's elements are known when the model is compiled."""
    return isinstance(value, (np.ndarray, np.generic))
