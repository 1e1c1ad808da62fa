# SPDX-License-Identifier: Apache-2.0
"""Describes a user's module (its inputs and outputs) and has it exported to an ONNX file, for all compilers that read
ONNX. Compilers of PyTorch's family need the description alone."""
import json
import os

import torch
from ngraphbench.adaptor import CompilerError

from . import exporters, module_call, transformers_step, user_module

_TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64,
          "i64": torch.int64, "i32": torch.int32, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}
_ANY = -1  # in a shape: the batch


def write(recipe, batch: int, dynamic_batch: bool, threads: int, path: str, needs_file: bool = True):
    """Write the file at `path`, and weights of more than 2 GB to `path`.data. Returns the inputs in the order of the
    arguments, and which exporter wrote the file or why none did: {"inputs": [{"name", "type", "shape"}], "open_inputs",
    "outputs": [name], "exporter" or "no_file": {"kind", "message", "advice"}}. Before it exports, it writes an answer
    without the last part to `path`.json, which remains if an exporter ends this process. Raises CompilerError."""
    torch.set_num_threads(threads)
    description = recipe["module"]
    module = user_module.make(description)
    example = _example(description, module, batch)
    named = module_call.keywords(module, list(example))
    first = list(example.values())[:len(example) - len(named)]
    with torch.no_grad():
        outputs = user_module.call_user(f"{user_module.name_of(description)} cannot be run on its example inputs",
                                        lambda: module(*first, **{name: example[name] for name in named}))
    ranks = _ranks_of_outputs(description, outputs, example)
    opened = _open_shapes(description, example, batch)
    open_signatures = [_signature(name, tensor, opened[name] if dynamic_batch else tensor.shape) for name, tensor in example.items()]
    for each in open_signatures if _grows(description) else []:
        if each["name"].startswith(transformers_step.PAST):
            each["shape"][transformers_step.ROWS_AXIS] = _ANY
    answer = {"inputs": [_signature(name, tensor, tensor.shape) for name, tensor in example.items()],
              "open_inputs": open_signatures if dynamic_batch or _grows(description) else [],
              "outputs": list(ranks)}
    if not needs_file:
        return {**answer, "exporter": ""}
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump(answer, file)
    if not module_call.is_flat(module, list(example), outputs):
        module = module_call.Flat(module, list(example)).eval()
    return {**answer, **exporters.export(module, example, ranks, _open_axes(description, opened, ranks, dynamic_batch), path)}


def _grows(description) -> bool:
    """Return whether the cache of the step is longer after it."""
    return description.get("decoder", {}).get("form") == "growing"


def _open_axes(description, opened, outputs, dynamic_batch):
    """Return {name of an input or output: {axis: the name of its open extent}}; None if no axis is open."""
    axes = {name: {axis: "batch" for axis, extent in enumerate(shape) if extent == _ANY and dynamic_batch}
            for name, shape in opened.items()}
    for row in description.get("inputs") or []:  # dimensions that the study names
        axes[row["name"]].update({int(axis): name for axis, name in row.get("open", {}).items()})
    if _grows(description):
        axes.update({name: {0: "batch"} if dynamic_batch else {} for name in outputs})
        for name in axes:
            if name.startswith((transformers_step.PAST, transformers_step.PRESENT)):
                axes[name][transformers_step.ROWS_AXIS] = "rows" if name in opened else "rows after"
    return axes if any(axes.values()) else None


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
        names = module_call.positions(module)
        tensors = {names[i] if i < len(names) else f"input_{i}": tensor for i, tensor in enumerate(tensors)}
    if not isinstance(tensors, dict) or not all(isinstance(tensor, torch.Tensor) for tensor in tensors.values()):
        raise CompilerError("invalid_model", "example_inputs returned neither tensors nor a dict of them",
                            "return a tensor, a tuple of tensors, or a dict of tensors by argument")
    return tensors


def _in_order(description, module, tensors):
    """Return the tensors in the order of the arguments: those by position, then those by keyword."""
    arranged = module_call.arrange(module, list(tensors))
    if arranged is None:
        known = module_call.accepted(module)
        raise CompilerError("invalid_model", f"{user_module.name_of(description)} takes the arguments "
                                             f"{', '.join(known)}; given were {', '.join(tensors)}",
                            "give inputs under the names of the arguments; arguments that are left out keep their "
                            "defaults")
    return {name: tensors[name] for name in arranged[0] + arranged[1]}


def _open_shapes(description, example, batch):
    given = {row["name"]: row["shape"] for row in description.get("inputs") or []}
    opened = {}
    for name, tensor in example.items():
        shape = list(given.get(name, tensor.shape))
        if name not in given and shape and shape[0] == batch:
            shape[0] = _ANY
        opened[name] = shape
    return opened


def _ranks_of_outputs(description, outputs, example):
    """Return {output: rank}, in their order."""
    named = module_call.flatten(outputs, example)
    for name, tensor in named:
        if tensor.dtype not in _NAMES or tensor.layout != torch.strided:
            kind = tensor.dtype if tensor.dtype not in _NAMES else tensor.layout
            raise CompilerError("invalid_model", f'{user_module.name_of(description)} returns "{name}" as {kind}, which '
                                                 "cannot be compared", "wrap it in a module that converts it")
    return {name: tensor.dim() for name, tensor in named}
