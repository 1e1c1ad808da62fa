# SPDX-License-Identifier: Apache-2.0
"""A node of an ONNX graph, for the operators in this folder."""
import torch
from ngraphbench.adaptor import CompilerError
from ngraphbench.onnx_file import STANDARD_DOMAINS
from onnx import TensorProto, helper, numpy_helper

# PyTorch's element type of each of ONNX's.
TYPES = {TensorProto.FLOAT: torch.float32, TensorProto.FLOAT16: torch.float16, TensorProto.BFLOAT16: torch.bfloat16,
         TensorProto.DOUBLE: torch.float64, TensorProto.INT64: torch.int64, TensorProto.INT32: torch.int32,
         TensorProto.INT16: torch.int16, TensorProto.INT8: torch.int8, TensorProto.UINT8: torch.uint8,
         TensorProto.UINT16: torch.uint16, TensorProto.UINT32: torch.uint32, TensorProto.UINT64: torch.uint64,
         TensorProto.BOOL: torch.bool}


def key_of(proto) -> str:
    """Return the operator's name with its domain, if that is not the standard one: "com.microsoft.FusedMatMul"."""
    return proto.op_type if proto.domain in STANDARD_DOMAINS else f"{proto.domain}.{proto.op_type}"


class Node:
    """`outputs` counts the outputs up to the last named one; `bodies` maps attributes to graphs that are modules."""

    def __init__(self, proto, opset: int):
        self.op_type, self.key, self.name, self.opset = proto.op_type, key_of(proto), proto.name, opset
        self.outputs = max((place + 1 for place, name in enumerate(proto.output) if name), default=0)
        self.bodies = {}
        self._attributes = {each.name: helper.get_attribute_value(each) for each in proto.attribute
                            if not each.HasField("g")}

    def attribute(self, name: str, default=None):
        value = self._attributes.get(name, default)
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

    def refusal(self, what: str) -> CompilerError:
        """Return the error for a form of the operator that is not converted."""
        name = f' (node "{self.name}")' if self.name else ""
        return CompilerError("unsupported_operator",
                             f"no PyTorch equivalent of this form of {self.op_type}{name}: {what}",
                             "leave this model out, or compare with another compiler")


def takes_numbers(*places: int):
    """Mark an operator whose operands at these places are a list of numbers if they are constants of the file, so that
    PyTorch's compilers see numbers instead of tensors while they trace."""
    def mark(operator):
        operator.takes_numbers = places
        return operator

    return mark


def numbers(operand) -> list:
    """Return the numbers of an operand that decides shapes or places."""
    return operand.reshape(-1).tolist() if isinstance(operand, torch.Tensor) else list(operand)


def to_tensor(proto) -> torch.Tensor:
    """Return a copy of a constant's values."""
    values = numpy_helper.to_array(proto)
    if values.dtype.name == "bfloat16":  # numpy's extension type, which torch does not know
        return torch.from_numpy(values.view("uint16").copy()).view(torch.bfloat16)
    return torch.from_numpy(values.copy())


def extents(x) -> tuple:
    """Return the shape as numbers; while PyTorch traces, x.shape has tensors."""
    return tuple(int(extent) for extent in x.shape)


def axis_of(value, rank: int) -> int:
    axis = int(value)
    if -rank <= axis < max(rank, 1):
        return axis % rank if rank else 0
    raise CompilerError("invalid_model", f"axis {axis} of a tensor of rank {rank}", "check the file with onnx.checker")
