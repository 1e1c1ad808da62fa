# SPDX-License-Identifier: Apache-2.0
"""Exports a user's module to an ONNX file with torch.onnx.export, for all compilers that read ONNX.

It uses the exporter that traces (dynamo=False), which needs nothing but torch and a quarter of the other's time. The
other one also needs onnxscript."""
import inspect
import os
import tempfile
import traceback
import warnings

import torch
from ngraphbench.adaptor import CompilerError

from . import user_module

_OPSET = 20  # the newest that this exporter writes
_TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64,
          "i64": torch.int64, "i32": torch.int32, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}
_ANY = -1  # in a shape: the batch


def write(recipe, batch: int, dynamic_batch: bool, threads: int, path: str):
    """Write the file at `path`, and weights of more than 2 GB to `path`.data. Returns the inputs in the order of the
    arguments: {"inputs": [{"name", "type", "shape"}], "open_inputs"}. Raises CompilerError."""
    torch.set_num_threads(threads)
    description = recipe["module"]
    module = user_module.make(description)
    example = _example(description, module, batch)
    with torch.no_grad():
        outputs = user_module.call_user(f"{user_module.name_of(description)} cannot be run on its example inputs",
                                        lambda: module(*example.values()))
    names = _output_names(outputs)
    opened = _open_shapes(description, example, batch)
    axes = {name: {axis: "batch" for axis, extent in enumerate(shape) if extent == _ANY}
            for name, shape in opened.items()} if dynamic_batch else None
    if axes is not None:
        axes.update({name: {0: "batch"} for name in names})
    _export(module, example, names, axes, path)
    signatures = [_signature(name, tensor, tensor.shape) for name, tensor in example.items()]
    return {"inputs": signatures,
            "open_inputs": [_signature(name, tensor, opened[name]) for name, tensor in example.items()]
            if dynamic_batch else []}


def _signature(name, tensor, shape):
    if tensor.dtype not in _NAMES:
        raise CompilerError("invalid_model", f'input "{name}" is of type {tensor.dtype}, which cannot be fed')
    return {"name": name, "type": _NAMES[tensor.dtype], "shape": list(shape)}


def _example(description, module, batch: int):
    """Return {argument: tensor} in the order of the module's arguments."""
    given = description.get("inputs")
    if given:
        tensors = {row["name"]: torch.zeros([batch if extent == _ANY else extent for extent in row["shape"]],
                                            dtype=_TYPES[row["type"]]) for row in given}
        return _in_order(description, module, tensors)
    if "timm" in description:
        return {"input": torch.zeros(batch, *_size_for(description, module))}
    function = getattr(user_module.source(description), "example_inputs", None)
    if not callable(function):
        raise CompilerError("invalid_model", f"{os.path.basename(description['file'])} has no function example_inputs",
                            "give the shapes in the study (shapes: {x: [batch, 3, 224, 224]}), or a function "
                            "example_inputs(batch) in the file")
    tensors = user_module.call_user("example_inputs failed", lambda: function(batch))
    return _in_order(description, module, _as_dict(module, tensors))


def _size_for(description, module):
    """Return channels, height and width of a timm model's images."""
    parameters = description["parameters"]
    channels, height, width = module.pretrained_cfg.get("input_size", (3, 224, 224))
    size = parameters.get("img_size", (height, width))
    height, width = (size, size) if isinstance(size, int) else size
    return parameters.get("in_chans", channels), height, width


def _as_dict(module, tensors):
    if isinstance(tensors, torch.Tensor):
        tensors = (tensors,)
    if isinstance(tensors, (tuple, list)):
        names = _arguments(module)
        tensors = {names[i] if i < len(names) else f"input_{i}": tensor for i, tensor in enumerate(tensors)}
    if not isinstance(tensors, dict) or not all(isinstance(tensor, torch.Tensor) for tensor in tensors.values()):
        raise CompilerError("invalid_model", "example_inputs returned neither tensors nor a dict of them",
                            "return a tensor, a tuple of tensors, or a dict of tensors by argument")
    return tensors


def _arguments(module):
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [parameter.name for parameter in inspect.signature(module.forward).parameters.values()
            if parameter.kind in kinds]


def _in_order(description, module, tensors):
    """Return the tensors by position, as TorchScript and ONNX need them: only the last arguments may be left out."""
    known = _arguments(module)
    if len(known) < len(tensors) and set(known).issubset(tensors):
        return tensors  # forward(*args)
    wanted = known[:len(tensors)]
    if set(wanted) != set(tensors):
        raise CompilerError("invalid_model", f"{user_module.name_of(description)} takes the arguments "
                                             f"{', '.join(known)}; given were {', '.join(tensors)}",
                            "give the first ones under their names; the others keep their defaults")
    return {name: tensors[name] for name in wanted}


def _open_shapes(description, example, batch):
    given = {row["name"]: row["shape"] for row in description.get("inputs") or []}
    opened = {}
    for name, tensor in example.items():
        shape = list(given.get(name, tensor.shape))
        if name not in given and shape and shape[0] == batch:
            shape[0] = _ANY
        opened[name] = shape
    return opened


def _output_names(outputs):
    """Return one name per tensor, as the compilers of PyTorch's family do."""
    tensors = [outputs] if isinstance(outputs, torch.Tensor) else outputs
    if not isinstance(tensors, (tuple, list)) or not all(isinstance(tensor, torch.Tensor) for tensor in tensors):
        raise CompilerError("invalid_model", f"the module returns {type(outputs).__name__}, not a tensor or a tuple of "
                                             "tensors", "wrap it in a module that returns the tensors")
    return ["output"] if len(tensors) == 1 else [f"output_{i}" for i in range(len(tensors))]


def _export(module, example, output_names, axes, path):
    import onnx

    with tempfile.TemporaryDirectory(prefix="export-", dir=os.path.dirname(path)) as folder, \
            warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is deprecated, and shapes become constants, as intended
        made = os.path.join(folder, "model.onnx")
        try:
            torch.onnx.export(module, tuple(example.values()), made, input_names=list(example),
                              output_names=output_names, dynamic_axes=axes, opset_version=_OPSET, dynamo=False)
        except Exception as error:  # torch raises many types
            traceback.print_exc()
            first = (str(error).strip().splitlines() or [""])[0]
            raise CompilerError("unsupported_operator", f"torch.onnx.export cannot export this module: "
                                                        f"{type(error).__name__}: {first}",
                                "the whole message is in the log of this model") from None
        if len(os.listdir(folder)) == 1:
            os.replace(made, path)
            return
        onnx.save_model(onnx.load(made), path, save_as_external_data=True, all_tensors_to_one_file=True,
                        location=os.path.basename(path) + ".data")
