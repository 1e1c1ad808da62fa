# SPDX-License-Identifier: Apache-2.0
"""What the programs of PyTorch's family have in common: the module in a file of PyTorch's own, and how it is called."""
import inspect
import os
from typing import Mapping

import torch
from ngraphbench.adaptor import CompilerError
from ngraphbench.program import Parts

_STRICT = [f"torch.backends.mkldnn.{part}.fp32_precision" for part in ("conv", "matmul", "rnn")]


def open_adaptor(kind, cell):
    """Return the compiler's adaptor for the cell, and its model. Raises CompilerError for a device other than the CPU."""
    if cell.options["device"] != "cpu":
        raise CompilerError("invalid_option", f'programs are written for the CPU, not for {cell.options["device"]} yet')
    kind.preload()
    kind.preload_models([cell.recipe["family"] if cell.recipe else "file"])
    settings, model = cell.for_adaptor("module.pt2")
    return kind(settings), model


def module_and_inputs(kind, cell):
    """Return the identity's module, and inputs of the cell's shapes in the order of its arguments."""
    adaptor, model = open_adaptor(kind, cell)
    module, signatures = adaptor.module_of(model)
    if [each.name for each in signatures] != [row["name"] for row in cell.inputs]:
        raise CompilerError("invalid_model", "its module takes the inputs in another order than its file")
    return module, tuple(adaptor.zeros(signatures))


def export(kind, cell) -> str:
    """Write module.pt2, and return the lines that define `module` from it."""
    module, inputs = module_and_inputs(kind, cell)
    with torch.no_grad():
        torch.export.save(torch.export.export(module, inputs, strict=False), os.path.join(cell.folder, "module.pt2"))
    has_guards = "check_guards" in inspect.signature(torch.export.ExportedProgram.module).parameters
    guards = "check_guards=False" if has_guards else ""
    return f'module = torch.export.load(os.path.join(FOLDER, "module.pt2")).module({guards})'


def parts(cell, session: str, environment: Mapping[str, str] = {}, mode: str = "inference_mode") -> Parts:
    """Return the program whose lines `session` define `call`, which receives and returns tensors."""
    strict = [name for name in _STRICT if hasattr(getattr(torch.backends.mkldnn, name.split(".")[3], None),
                                                  "fp32_precision")]
    flush = bool(cell.options.get("flush_denormal", False))
    layout = ""
    if cell.options.get("memory_format") == "channels_last":
        layout = ".contiguous(memory_format=torch.channels_last if array.ndim == 4 else torch.contiguous_format)"
    lines = [f"torch.set_num_threads({cell.threads})  # the default: every core",
             "torch.set_num_interop_threads(1)  # the default: every core",
             f"torch.set_flush_denormal({flush})" + ("" if flush else "  # the default"),
             'torch.set_float32_matmul_precision("highest")  # the default',
             *([f'{" = ".join(strict)} = "ieee"  # f32 stays f32 in oneDNN'] if strict else []),
             f"mode = torch.{mode}()",
             "mode.__enter__()  # until this program ends; without its name, the mode would end at once",
             session,
             f"tensors = [torch.from_numpy(array).clone(){layout} for array in arrays]",
             "",
             "def run():",
             "    global result",
             "    result = call(*tensors)",
             "",
             "def infer(*given):",
             "    for tensor, array in zip(tensors, given):",
             "        tensor.copy_(torch.from_numpy(array))",
             "    run()",
             "    return [each.numpy() for each in (result if isinstance(result, (tuple, list)) else [result])]"]
    return Parts(imports="import torch",
                 is_version=f'torch.__version__.split("+")[0] == "{cell.version}"', session="\n".join(lines),
                 environment={"ONEDNN_DEFAULT_FPMATH_MODE": "STRICT", **environment})
