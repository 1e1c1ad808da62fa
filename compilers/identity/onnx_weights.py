# SPDX-License-Identifier: Apache-2.0
"""Reads ONNX files and their initializers with as few copies as possible."""
import os
import warnings
from typing import Callable, Dict, List

import torch
import torch.utils._device  # noqa: F401  what torch.device imports when it is entered
from ngraphbench.adaptor import CompilerError

_COUNTER = "num_batches_tracked"  # of a BatchNorm; only training reads it, so ONNX files lack it


def load_onnx(path: str, with_weights: bool = True):
    """Return the onnx.ModelProto of a file, on request with its external data. Raises CompilerError."""
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
    """Return the graph's inputs in the order of the module's arguments."""
    initializers = {initializer.name for initializer in model.graph.initializer}
    return [value.name for value in model.graph.input if value.name not in initializers]


def to_tensor(initializer, folder: str) -> torch.Tensor:
    """Return a copy of the initializer's values. `folder` is the model's, which contains the external data."""
    from onnx import TensorProto, numpy_helper

    shape = tuple(initializer.dims)
    if initializer.data_type == TensorProto.FLOAT and initializer.data_location == TensorProto.EXTERNAL:
        return _read_f32(initializer, shape, folder)
    data = initializer.raw_data  # each access copies
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about memory that is not writable
        if initializer.data_type == TensorProto.FLOAT and data:
            return torch.frombuffer(data, dtype=torch.float32).reshape(shape).clone()
        return torch.from_numpy(numpy_helper.to_array(initializer)).clone()


def _read_f32(initializer, shape, folder: str) -> torch.Tensor:
    from onnx.external_data_helper import ExternalDataInfo

    beside = ExternalDataInfo(initializer)
    tensor = torch.empty(shape, dtype=torch.float32)
    values = memoryview(tensor.view(-1).numpy()).cast("B")
    with open(os.path.join(folder, beside.location), "rb") as file:
        file.seek(beside.offset or 0)
        if file.readinto(values) != len(values):
            raise ValueError(f"{beside.location} ends within {initializer.name}")
    return tensor


def state_dict(model, folder: str) -> Dict[str, torch.Tensor]:
    """Return a recipe's initializers as its module's state. A slash in a name marks a constant of the graph. The second
    operand of a MatMul is the transposed weight of a Linear over tokens; that of a Mul is a factor per feature."""
    transposed = {node.input[1] for node in model.graph.node if node.op_type == "MatMul"}
    factors = {node.input[1] for node in model.graph.node if node.op_type == "Mul"}

    def as_torch_keeps_it(name: str, tensor: torch.Tensor) -> torch.Tensor:
        if name in transposed:
            return tensor.t().contiguous()
        return tensor.flatten() if name in factors else tensor

    return {initializer.name: as_torch_keeps_it(initializer.name, to_tensor(initializer, folder))
            for initializer in model.graph.initializer if "/" not in initializer.name}


def build_with_weights(build: Callable[[], torch.nn.Module], model, path: str) -> torch.nn.Module:
    """Return the module that `build` makes, with the initializers of `model` (read from `path`) as its state. External
    data is read from the files beside it. Raises CompilerError."""
    module = _build_empty(build)
    try:
        weights = state_dict(model, os.path.dirname(path))
        _add_counters(module, weights)
        module.load_state_dict(weights, strict=True, assign=True)
    except (RuntimeError, ValueError, TypeError, OSError) as error:
        raise CompilerError("invalid_model", f"the initializers of {path} do not fit the recipe's module: {error}",
                            "delete the file: it will be made again from the recipe") from None
    return module


def _build_empty(build: Callable[[], torch.nn.Module]) -> torch.nn.Module:
    """Return a module without values in its state, because random values, soon replaced, would cost most of the time.
    timm's own function makes what is outside the state_dict; without it, the module is built as usual."""
    with torch.device("meta"):
        module = build()
    outside = {name for name, _ in module.named_buffers()} - set(module.state_dict())
    owners = [module.get_submodule(name) for name in sorted({name.rpartition(".")[0] for name in outside})]
    if not all(hasattr(owner, "init_non_persistent_buffers") for owner in owners):
        return build()
    # As to_empty does, whose first call imports SymPy for a third of a second.
    module = module._apply(lambda tensor: torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu"))
    for owner in owners:
        owner.init_non_persistent_buffers()
    return module


def _add_counters(module: torch.nn.Module, weights: Dict[str, torch.Tensor]) -> None:
    for name in module.state_dict():
        if name.rpartition(".")[2] == _COUNTER:
            weights.setdefault(name, torch.zeros((), dtype=torch.int64))
