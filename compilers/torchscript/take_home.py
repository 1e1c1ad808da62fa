# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of TorchScript: the trace in a file, which is optimised again when it is loaded."""
import os

from . import script, torch_program
from .torchscript import TorchScript

_FILE = "module.pt"


def parts(cell):
    _trace(cell)
    lines = [f'module = torch.jit.load(os.path.join(FOLDER, "{_FILE}")).eval()']
    if cell.options["optimize_for_inference"]:
        lines.append("module = torch.jit.optimize_for_inference(module)  # the default: nothing is optimised in advance")
    elif cell.options["freeze"]:
        lines.append("module = torch.jit.freeze(module)  # the default: weights stay attributes")
    return torch_program.parts(cell, "\n".join([*lines, "call = module.forward"]), _FILE)


def cpp(cell):
    _trace(cell)
    lines = [f'    module = torch::jit::load(FOLDER "{_FILE}");', "    module.eval();"]
    if cell.options["optimize_for_inference"]:
        lines.append("    module = torch::jit::optimize_for_inference(module);  // the default: nothing is optimised in advance")
    elif cell.options["freeze"]:
        lines.append("    module = torch::jit::freeze(module);  // the default: weights stay attributes")
    return torch_program.cpp(cell, "#include <torch/script.h>",
                             torch_program.SCRIPT_MEMBERS, "\n".join(lines), "module.forward(tensors)", _FILE)


def _trace(cell):
    module, inputs = torch_program.module_and_inputs(TorchScript, cell)
    script.quietly(lambda: script.trace(module, inputs).save(os.path.join(cell.folder, _FILE)))
