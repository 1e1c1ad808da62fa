# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of AOTInductor: the package that it makes, opened by PyTorch's loader."""
from . import torch_program
from .aotinductor import AotInductor


def parts(cell):
    adaptor, model = torch_program.open_adaptor(AotInductor, cell)
    adaptor.compile(model)
    adaptor.close()
    return torch_program.parts(cell, 'call = torch._inductor.aoti_load_package(os.path.join(FOLDER, "module.pt2"))',
                               mode="no_grad")
