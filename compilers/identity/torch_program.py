# SPDX-License-Identifier: Apache-2.0
"""What the programs of PyTorch's family have in common: the module in a file of PyTorch's own, and how it is called."""
import inspect
import os
from typing import Mapping

import torch
from ngraphbench.adaptor import CompilerError
from ngraphbench.program import Parts
from ngraphbench.program_cpp import CppParts, shape_of

_STRICT = [f"torch.backends.mkldnn.{part}.fp32_precision" for part in ("conv", "matmul", "rnn")]

# Of the struct Session of a TorchScript program in C++.
SCRIPT_MEMBERS = """\
  c10::InferenceMode mode;
  torch::jit::Module module;
  std::vector<c10::IValue> tensors;
  c10::IValue result;"""
_ENVIRONMENT = {"ONEDNN_DEFAULT_FPMATH_MODE": "STRICT"}
_CPP_TYPES = {"f32": "kFloat", "f16": "kHalf", "f64": "kDouble", "i64": "kLong", "i32": "kInt", "i8": "kChar", "u8": "kByte",
              "bool": "kBool"}
_CMAKE = """\
find_path(TORCH torch/script.h PATH_SUFFIXES include REQUIRED)
set(INCLUDES ${TORCH} ${TORCH}/torch/csrc/api/include)
find_library(TORCH_CPU torch_cpu REQUIRED)
find_library(C10 c10 REQUIRED)
find_library(WHOLE_TORCH torch REQUIRED)  # a package of AOTInductor asks for it
set(LIBRARIES -Wl,--no-as-needed,--allow-shlib-undefined ${WHOLE_TORCH} ${TORCH_CPU} ${C10})"""


def open_adaptor(kind, cell):
    """Return the compiler's adaptor for the cell, and its model. Raises CompilerError for a device other than the CPU."""
    if cell.options["device"] != "cpu":
        raise CompilerError("invalid_option", f'programs are written for the CPU, not for {cell.options["device"]} yet')
    kind.preload()
    kind.preload_models([cell.recipe.get("family", "module") if cell.recipe else "file"])
    settings, model = cell.for_adaptor("module.pt2")
    return kind(settings), model


def module_and_inputs(kind, cell):
    """Return the identity's module, and inputs of the cell's shapes in the order of its arguments."""
    adaptor, model = open_adaptor(kind, cell)
    module, signatures = adaptor.module_of(model)
    module = adaptor.flat(module)
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


def parts(cell, session: str, file: str, mode: str = "inference_mode") -> Parts:
    """Return the program whose lines `session` define `call` from the file; it receives and returns tensors."""
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
                 environment=_ENVIRONMENT, file=file)


def cpp(cell, includes: str, members: str, session: str, call: str, file: str) -> CppParts:
    """Return the program in C++. Lines `members` declare what the lines `session` prepare; `call` is the expression of an
    inference of `tensors`, whose value `outputs_of` knows."""
    flush = bool(cell.options.get("flush_denormal", False))
    layout = ""
    if cell.options.get("memory_format") == "channels_last":
        layout = ".contiguous(at::MemoryFormat::ChannelsLast)"
    tensors = [f"    tensors.emplace_back(at::from_blob(inputs[{i}].data, {shape_of(row)}, at::{_CPP_TYPES[row['type']]}).clone()"
               f"{layout if len(row['shape']) == 4 else ''});" for i, row in enumerate(cell.inputs)]
    lines = ["struct Session {",
             members,
             "  std::vector<at::Tensor> kept;",
             "",
             "  explicit Session(std::vector<Array>& inputs) {",
             f'    if (TORCH_VERSION != std::string("{cell.version}")) throw std::runtime_error("measured with {cell.version}");',
             f"    at::set_num_threads({cell.threads});  // the default: every core",
             "    at::set_num_interop_threads(1);  // the default: every core",
             f"    at::globalContext().setFlushDenormal({str(flush).lower()});" + ("" if flush else "  // the default"),
             "    for (const auto part : {at::Float32Op::CONV, at::Float32Op::MATMUL, at::Float32Op::RNN}) {  // f32 stays f32 in oneDNN",
             "      at::globalContext().setFloat32Precision(at::Float32Backend::MKLDNN, part, at::Float32Precision::IEEE);",
             "    }",
             session,
             *tensors,
             "  }",
             "",
             f"  void run() {{ result = {call}; }}",
             "",
             "  static std::vector<at::Tensor> outputs_of(const std::vector<at::Tensor>& result) { return result; }",
             "  static std::vector<at::Tensor> outputs_of(const c10::IValue& result) {",
             "    if (result.isTensor()) return {result.toTensor()};",
             "    if (result.isTensorList()) return result.toTensorVector();",
             "    std::vector<at::Tensor> all;",
             "    for (const c10::IValue& each : result.toTupleRef().elements()) all.push_back(each.toTensor());",
             "    return all;",
             "  }",
             "",
             "  std::vector<const void*> outputs() {",
             "    kept = outputs_of(result);",
             "    std::vector<const void*> all;",
             "    for (at::Tensor& each : kept) all.push_back((each = each.contiguous()).data_ptr());",
             "    return all;",
             "  }",
             "};"]
    return CppParts(includes=includes + "\n#include <ATen/ATen.h>\n#include <ATen/Parallel.h>\n#include <torch/headeronly/version.h>",
                    session="\n".join(lines), cmake=_CMAKE, standard=20, environment=_ENVIRONMENT, file=file,
                    hint="-D CMAKE_PREFIX_PATH=$(python -c 'import torch; print(torch.__path__[0])')")
