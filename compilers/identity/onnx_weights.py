# SPDX-License-Identifier: Apache-2.0
"""ONNX files and their initializers, without a copy more than needed."""
import warnings
from typing import Callable, Dict, List

import torch
from ngraphbench.adaptor import CompilerError

_COUNTER = "num_batches_tracked"  # of a BatchNorm; only training reads it, so ONNX files do not hold it


def load_onnx(path: str, with_weights: bool = True):
    """The onnx.ModelProto of a file, with its external data where it is asked for. Raises CompilerError."""
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model = onnx.load(path, load_external_data=with_weights)
    except OSError as error:
        raise CompilerError("invalid_model", f"{path}: {error.strerror or error}") from None
    except (DecodeError, ValueError, onnx.checker.ValidationError) as error:
        raise CompilerError("invalid_model", f"{path} is not an ONNX file, or a damaged one: {error}") from None
    if not model.graph.output:
        raise CompilerError("invalid_model", f"{path} is not an ONNX file, or a damaged one: its graph has no output")
    return model


def input_names(model) -> List[str]:
    """The graph's inputs in the order of the module's arguments."""
    initializers = {initializer.name for initializer in model.graph.initializer}
    return [value.name for value in model.graph.input if value.name not in initializers]


def to_tensor(initializer) -> torch.Tensor:
    """Shares the initializer's bytes: for copying from only."""
    from onnx import TensorProto, numpy_helper

    shape = tuple(initializer.dims)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the memory is not writable
        if initializer.data_type == TensorProto.FLOAT and initializer.raw_data:
            return torch.frombuffer(initializer.raw_data, dtype=torch.float32).reshape(shape)
        return torch.from_numpy(numpy_helper.to_array(initializer))


def state_dict(model) -> Dict[str, torch.Tensor]:
    """A recipe's initializers as its module's state. Those with a slash in their names are constants of the graph, the
    second operand of a MatMul is the transposed weight of a Linear over tokens, and that of a Mul one factor for each
    feature, in whatever shape."""
    transposed = {node.input[1] for node in model.graph.node if node.op_type == "MatMul"}
    factors = {node.input[1] for node in model.graph.node if node.op_type == "Mul"}

    def as_torch_keeps_it(name: str, tensor: torch.Tensor) -> torch.Tensor:
        if name in transposed:
            return tensor.t()
        return tensor.flatten() if name in factors else tensor

    return {initializer.name: as_torch_keeps_it(initializer.name, to_tensor(initializer))
            for initializer in model.graph.initializer if "/" not in initializer.name}


def build_with_weights(build: Callable[[], torch.nn.Module], model, path: str) -> torch.nn.Module:
    """The module that `build` makes, with the initializers of `model` as its state. Raises CompilerError."""
    module = _build_empty(build)
    try:
        weights = state_dict(model)
        _add_counters(module, weights)
        module.load_state_dict(weights, strict=True)
    except (RuntimeError, ValueError, TypeError) as error:
        raise CompilerError("invalid_model", f"the initializers of {path} do not fit the recipe's module: {error}",
                            "delete the file: it is made again from the recipe") from None
    return module


def _build_empty(build: Callable[[], torch.nn.Module]) -> torch.nn.Module:
    """A module whose state holds nothing yet: random values that the file's replace at once would cost most of the
    time. One that keeps something outside its state_dict is built as usual."""
    with torch.device("meta"):
        module = build()
    outside = {name for name, _ in module.named_buffers()} - set(module.state_dict())
    return build() if outside else module.to_empty(device="cpu")


def _add_counters(module: torch.nn.Module, weights: Dict[str, torch.Tensor]) -> None:
    for name in module.state_dict():
        if name.rpartition(".")[2] == _COUNTER:
            weights.setdefault(name, torch.zeros((), dtype=torch.int64))
