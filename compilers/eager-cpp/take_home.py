# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of eager-cpp: the trace in a file, whose operators the interpreter calls one by one."""
import os

from . import script, torch_program
from .eager_cpp import EagerCpp

_FILE = "module.pt"


def parts(cell):
    _trace(cell)
    return torch_program.parts(cell, "\n".join([
        f'module = torch.jit.load(os.path.join(FOLDER, "{_FILE}"))',
        "execution = torch.jit.optimized_execution(False)  # the default: the interpreter optimises",
        "execution.__enter__()",
        "call = module.forward"]), _FILE)


def cpp(cell):
    _trace(cell)
    guard = "  torch::jit::GraphOptimizerEnabledGuard optimizes{false};  // the default: the interpreter optimises\n"
    return torch_program.cpp(cell, "#include <torch/csrc/jit/runtime/graph_executor.h>\n#include <torch/script.h>",
                             guard + torch_program.SCRIPT_MEMBERS, f'    module = torch::jit::load(FOLDER "{_FILE}");',
                             "module.forward(tensors)", _FILE)


def _trace(cell):
    module, inputs = torch_program.module_and_inputs(EagerCpp, cell)
    program = script.trace(module, inputs)
    script.fold_shapes(program)
    script.quietly(lambda: program.save(os.path.join(cell.folder, _FILE)))
