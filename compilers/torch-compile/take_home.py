# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of torch.compile: the identity's module, exported without a change, and compiled by the first call."""
import dataclasses

from . import torch_program
from .torch_compile import TorchCompile


def parts(cell):
    module = torch_program.export(TorchCompile, cell)
    backend, mode = cell.options["backend"], cell.options["mode"]
    lines = [module]
    if backend == "inductor":
        options = {"freezing": cell.options["freezing"], **cell.settings}
        of_mode = "" if mode == "default" else f'**torch._inductor.list_mode_options("{mode}"), '
        lines += [f"options = {{{of_mode}**{options!r}}}  # the default of freezing: False",
                  "call = torch.compile(module, dynamic=False, options=options)  # the default of dynamic: None"]
    else:
        lines.append(f'call = torch.compile(module, backend="{backend}", dynamic=False)')
    return dataclasses.replace(torch_program.parts(cell, "\n".join(lines), "module.pt2"), needs_gxx=True)
