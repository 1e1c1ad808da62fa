# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of eager-cpp: the trace in a file, whose operators the interpreter calls one by one."""
import os

from . import script, torch_program
from .eager_cpp import EagerCpp


def parts(cell):
    module, inputs = torch_program.module_and_inputs(EagerCpp, cell)
    program = script.trace(module, inputs)
    script.fold_shapes(program)
    script.quietly(lambda: program.save(os.path.join(cell.folder, "module.pt")))
    return torch_program.parts(cell, "\n".join([
        'module = torch.jit.load(os.path.join(FOLDER, "module.pt"))',
        "execution = torch.jit.optimized_execution(False)  # the default: the interpreter optimises",
        "execution.__enter__()",
        "call = module.forward"]))
