# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of AOTInductor: the package that it makes, opened by PyTorch's loader."""
from . import torch_program
from .aotinductor import AotInductor

_FILE = "module.pt2"


def parts(cell):
    _compile(cell)
    return torch_program.parts(cell, f'call = torch._inductor.aoti_load_package(os.path.join(FOLDER, "{_FILE}"))', _FILE,
                               mode="no_grad")


def cpp(cell):
    _compile(cell)
    return torch_program.cpp(cell, "#include <c10/core/GradMode.h>\n#include <torch/csrc/inductor/aoti_package/model_package_loader.h>",
                             "  c10::NoGradGuard mode;\n"
                             f'  torch::inductor::AOTIModelPackageLoader loader{{FOLDER "{_FILE}"}};\n'
                             "  std::vector<at::Tensor> tensors;\n  std::vector<at::Tensor> result;",
                             "", "loader.run(tensors)", _FILE)


def _compile(cell):
    adaptor, model = torch_program.open_adaptor(AotInductor, cell)
    adaptor.compile(model)
    adaptor.close()
