# SPDX-License-Identifier: Apache-2.0
"""A user's ONNX file as a PyTorch module."""
import torch
from ngraphbench.adaptor import CompilerError
from ngraphbench.onnx_file import inputs_of


def preload() -> None:
    """Import what `convert` needs: onnx2torch, which imports torchvision and much of PyTorch's compiler."""
    from ngraphbench import onnx_constants  # noqa: F401

    from . import fixed_shapes, onnx_module  # noqa: F401


def convert(model, path: str, shapes) -> torch.nn.Module:
    """Return the module. `shapes` are those of the inputs, by name; the batch is None if it is open. Raises
    CompilerError; unsupported_operator names what has no equivalent in PyTorch."""
    from ngraphbench import onnx_constants

    from . import fixed_shapes, onnx_module

    if shapes is not None and {slot.name for slot in inputs_of(model)} == set(shapes):
        onnx_constants.compute(model, shapes)
    try:
        return fixed_shapes.fix(onnx_module.convert(model))
    except CompilerError:
        raise
    except Exception as error:  # onnx2torch raises many types
        raise _explain(error, model, path) from None


def _explain(error: Exception, model, path: str) -> CompilerError:
    import onnx

    from .onnx_module import ADVICE

    if isinstance(error, NotImplementedError):
        return CompilerError("unsupported_operator", f"onnx2torch cannot convert {error}", ADVICE)
    try:
        onnx.checker.check_model(model)
    except (onnx.checker.ValidationError, ValueError, RuntimeError) as invalid:
        return CompilerError("invalid_model", f"{path} is not a valid ONNX model: {invalid}")
    return CompilerError("unsupported_operator",
                         f"onnx2torch cannot convert {path}: {type(error).__name__}: {error}", ADVICE)
