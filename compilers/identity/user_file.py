# SPDX-License-Identifier: Apache-2.0
"""A user's ONNX file as a PyTorch module, by onnx2torch."""
import torch
from ngraphbench.adaptor import CompilerError
from ngraphbench.onnx_file import inputs_of


_NEWEST_OPSET = 18  # the newest whose common operators onnx2torch has; later ones changed most of them in name only


def convert(model, path: str, shapes) -> torch.nn.Module:
    """Return the module. `shapes` are those of the inputs, by name; the batch is None if it is open. Raises
    CompilerError; unsupported_operator names what onnx2torch cannot convert."""
    import onnx2torch
    from ngraphbench import onnx_constants

    from . import fixed_shapes, onnx_operators  # noqa: F401

    if shapes is not None and {slot.name for slot in inputs_of(model)} == set(shapes):
        onnx_constants.compute(model, shapes)
    try:
        module = onnx2torch.convert(model)
    except Exception as error:  # onnx2torch raises many types
        older = _in_known_opset(model)
        if older is None:
            raise _explain(error, model, path) from None
        try:
            module = onnx2torch.convert(older)
        except Exception as again:
            raise _explain(again, older, path) from None
    return fixed_shapes.fix(module)


def _in_known_opset(model):
    """Return the model in the newest opset that onnx2torch knows, or None if it has that or cannot be converted to it.
    """
    import onnx.version_converter

    if all(opset.version == _NEWEST_OPSET for opset in model.opset_import if opset.domain == ""):
        return None
    try:
        return onnx.version_converter.convert_version(model, _NEWEST_OPSET)
    except Exception:  # the converter raises many types
        return None


def _explain(error: Exception, model, path: str) -> CompilerError:
    import onnx

    advice = ("this model has no identity: compare with another compiler (reference: onnxruntime), or leave it out of "
              "the study")
    operators = _without_converter(model)
    if operators:
        named = ", ".join(operators)
        return CompilerError("unsupported_operator", f"no PyTorch equivalent of operator {named}", advice)
    if isinstance(error, NotImplementedError):
        return CompilerError("unsupported_operator", f"onnx2torch cannot convert {error}", advice)
    try:
        onnx.checker.check_model(model)
    except (onnx.checker.ValidationError, ValueError, RuntimeError) as invalid:
        return CompilerError("invalid_model", f"{path} is not a valid ONNX model: {invalid}")
    return CompilerError("unsupported_operator",
                         f"onnx2torch cannot convert {path}: {type(error).__name__}: {error}", advice)


def _without_converter(model):
    """Return the names of the graph's operators for which onnx2torch has no converter."""
    from onnx2torch.node_converters import get_converter

    versions = {opset.domain: opset.version for opset in model.opset_import}
    missing = set()
    for node in model.graph.node:
        try:
            version = versions.get(node.domain, 1)
            if node.domain == "":
                version = min(version, _NEWEST_OPSET)
            get_converter(domain=node.domain, operation_type=node.op_type, version=version)
        except Exception:  # an operator that is newer than this opset raises another error
            missing.add(f"{node.domain}.{node.op_type}".lstrip("."))
    return sorted(missing)
