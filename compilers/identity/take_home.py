# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of the identity: its module, exported without a change, called by Python operator by operator."""
from . import torch_program
from .identity import Identity


def parts(cell):
    mode = "inference_mode" if cell.options["inference_mode"] else "no_grad"
    return torch_program.parts(cell, f"{torch_program.export(Identity, cell)}\ncall = module.forward", "module.pt2", mode=mode)
