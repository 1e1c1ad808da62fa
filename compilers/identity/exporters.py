# SPDX-License-Identifier: Apache-2.0
"""PyTorch's two exporters to ONNX. The one that traces is tried first: it needs nothing but torch, and a quarter of the
other's time. The other one (dynamo=True) exports with torch.export and needs the package onnxscript."""
import errno
import importlib
import os
import tempfile
import traceback
import warnings

import torch
from ngraphbench.reasons import cause

_OPSET = 20  # the newest that the exporter that traces can write


def export(module, example, outputs, axes, path) -> dict:
    """Write the ONNX file. `example`: {input: tensor}, in the order of the arguments; `outputs`: {name: rank}; `axes`: {input or
    output: {axis: name}} of open extents, or None; those of outputs that it does not name follow from the inputs'. Returns {"exporter": "tracing" or "dynamo"}, or {"no_file": {"kind", "message", "advice",
    "follows_from_module"}} with the reasons of both; the last is false if a package is missing or damaged."""
    reasons = []
    output_names = list(outputs)
    follows_from_module = True
    for name, run in (("tracing", _trace), ("dynamo", _dynamo)):
        with tempfile.TemporaryDirectory(prefix="export-", dir=os.path.dirname(path)) as folder, \
                warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one is deprecated, and shapes become constants, as intended
            made = os.path.join(folder, "model.onnx")
            try:
                run(module, example, outputs, axes, made)
                _check_names(made, list(example), output_names)
            except Exception as error:  # torch raises many types
                if _is_of_machine(error):
                    raise
                traceback.print_exc()
                follows_from_module = follows_from_module and not any(isinstance(each, (ImportError, OSError))
                                                                      for each in _causes(error))
                reasons.append(f"{name}: {_reason(error)}")
                continue
            _move(made, path)
            return {"exporter": name}
    return {"no_file": {"kind": "unsupported_operator",
                        "message": "torch.onnx.export cannot export this module; " + "; ".join(reasons),
                        "follows_from_module": follows_from_module,
                        "advice": "compilers of PyTorch's family run the module itself; the whole messages are in the "
                                  "log of this model"}}


def _trace(module, example, outputs, axes, made):
    opened = None
    if axes is not None:
        opened = {**{name: _axes_of_output(name, rank, axes) for name, rank in outputs.items()}, **axes}
    torch.onnx.export(module, tuple(example.values()), made, input_names=list(example), output_names=list(outputs),
                      dynamic_axes=opened, opset_version=_OPSET, dynamo=False)


def _axes_of_output(name, rank, axes):
    """Return which extents of an output the file leaves open: of the batch the first, of other dimensions any may be."""
    named = {each for of_input in axes.values() for each in of_input.values()}
    if named <= {"batch"}:
        return {0: "batch"}
    return {axis: f"{name}_{axis}" for axis in range(rank)}


def _dimension(name):
    """Return what torch.export calls the dimension. It finds the bounds of a growing cache by itself."""
    return torch.export.Dim.DYNAMIC if name == "rows" else torch.export.Dim(name, min=1, max=65536)


def _dynamo(module, example, outputs, axes, made):
    try:
        importlib.import_module("onnxscript")
    except ImportError:
        raise RuntimeError("the identity's toolchain has no onnxscript: ngb toolchain install identity") from None
    from .module_call import Flat

    shapes = None
    if axes is not None:
        named = {each: _dimension(each) for name in example for each in axes[name].values()}
        shapes = tuple({axis: named[each] for axis, each in axes[name].items()} for name in example)
        shapes = (shapes,) if isinstance(module, Flat) else shapes  # its arguments are one tuple
    torch.onnx.export(module, tuple(example.values()), made, input_names=list(example), output_names=list(outputs),
                      dynamic_shapes=shapes, opset_version=_OPSET, dynamo=True, external_data=True, verbose=False)


def _check_names(path, inputs, outputs):
    """Raise RuntimeError unless the file has these inputs and outputs: an exporter may remove an input that is unused,
    or join outputs that are the same tensor."""
    import onnx

    graph = onnx.load(path, load_external_data=False).graph
    for kind, wanted, found in (("inputs", inputs, graph.input), ("outputs", outputs, graph.output)):
        names = [value.name for value in found]
        if names != wanted:
            raise RuntimeError(f"the exported file has the {kind} {', '.join(names)}; the module has "
                               f"{', '.join(wanted)}")


def _move(made, path):
    import onnx

    if len(os.listdir(os.path.dirname(made))) == 1:
        os.replace(made, path)
        return
    onnx.save_model(onnx.load(made), path, save_as_external_data=True, all_tensors_to_one_file=True,
                    location=os.path.basename(path) + ".data")


def _causes(error):
    """The error and those that led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_of_machine(error) -> bool:
    """Return whether the machine, and not the module, is the reason."""
    return any(isinstance(each, MemoryError) or getattr(each, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
               for each in _causes(error))


def _reason(error) -> str:
    if type(error).__module__.startswith("torch.onnx") and error.__cause__ is not None:  # it says how to report it
        return _reason(error.__cause__)
    return cause(error)
