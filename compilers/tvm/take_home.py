# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of TVM: its virtual machine with the library that it makes, as session.cpp runs it."""
import os

from ngraphbench.adaptor import CompilerError
from ngraphbench.program import Parts
from ngraphbench.program_cpp import CppParts, shape_of

_FILE = "model.so"
_ENVIRONMENT = {"TVM_BIND_THREADS": "0"}
_CPP_TYPES = {"f32": "kDLFloat, 32", "f16": "kDLFloat, 16", "f64": "kDLFloat, 64", "i64": "kDLInt, 64", "i32": "kDLInt, 32",
              "i8": "kDLInt, 8", "u8": "kDLUInt, 8", "bool": "kDLBool, 8"}
_SESSION = """\
struct Session {
  ffi::Module machine;
  ffi::Function call{nullptr};
  std::vector<ffi::Tensor> tensors;
  ffi::Any result;
  std::vector<ffi::Tensor> kept;

  explicit Session(std::vector<Array>& inputs) : machine(open()) {
    call = machine->GetFunction("main").value();
$tensors
  }

  static ffi::Module open() {
    const ffi::Module module = ffi::Module::LoadFromFile(FOLDER "$file");
    ffi::Module machine = module->GetFunction("vm_load_executable").value()().cast<ffi::Module>();
    const int pooled = 2;  // the allocator of Python's default
    machine->GetFunction("vm_initialization").value()(static_cast<int>(kDLCPU), 0, pooled);
    return machine;
  }

  static ffi::Tensor over(const Array& array, std::vector<int64_t> shape, DLDataType type) {
    auto* const lent = new std::pair<DLManagedTensor, std::vector<int64_t>>;
    lent->second = std::move(shape);
    lent->first.dl_tensor = {array.data, {kDLCPU, 0}, static_cast<int>(lent->second.size()), type, lent->second.data(), nullptr, 0};
    lent->first.manager_ctx = lent;
    lent->first.deleter = [](DLManagedTensor* self) { delete static_cast<decltype(lent)>(self->manager_ctx); };
    return ffi::Tensor::FromDLPack(&lent->first);
  }

  void run() { result = call($arguments); }

  std::vector<const void*> outputs() {
    kept.clear();
    if (auto tensor = result.as<ffi::Tensor>()) {
      kept.push_back(*tensor);
    } else {
      for (const ffi::Tensor& each : result.cast<ffi::Array<ffi::Tensor>>()) kept.push_back(each);
    }
    std::vector<const void*> all;
    for (const ffi::Tensor& each : kept) all.push_back(static_cast<const char*>(each.data_ptr()) + each.byte_offset());
    return all;
  }
};"""
_CMAKE = """\
find_path(INCLUDES tvm/ffi/function.h PATH_SUFFIXES tvm_ffi/include REQUIRED)
find_library(TVM_FFI tvm_ffi PATH_SUFFIXES tvm_ffi/lib REQUIRED)
find_library(TVM_RUNTIME tvm_runtime PATH_SUFFIXES tvm/lib REQUIRED)
find_library(TVM_EXTRA tvm_runtime_extra PATH_SUFFIXES tvm/lib)
set(LIBRARIES -Wl,--no-as-needed ${TVM_FFI} ${TVM_RUNTIME} $<$<BOOL:${TVM_EXTRA}>:${TVM_EXTRA}>)"""


def parts(cell) -> Parts:
    _compile(cell)
    lines = [f'module = tvm.runtime.load_module(os.path.join(FOLDER, "{_FILE}"))',
             'main = tvm.relax.VirtualMachine(module, tvm.cpu())["main"]',
             "tensors = [tvm.runtime.tensor(array) for array in arrays]",
             "",
             "def run():",
             "    global result",
             "    result = main(*tensors)",
             "",
             "def infer(*given):",
             "    for tensor, array in zip(tensors, given):",
             "        tensor.copyfrom(array)",
             "    run()",
             "    outputs = [result] if isinstance(result, (tvm.runtime.Tensor, tvm.runtime.ShapeTuple)) else result",
             '    return [each.numpy() if hasattr(each, "numpy") else np.array(each) for each in outputs]']
    return Parts(imports="import tvm", is_version=f'tvm.__version__ == "{cell.version}"', session="\n".join(lines),
                 environment=_ENVIRONMENT, file=_FILE)


def cpp(cell) -> CppParts:
    _compile(cell)
    tensors = [f"    tensors.push_back(over(inputs[{i}], {shape_of(row)}, {{{_CPP_TYPES[row['type']]}, 1}}));"
               for i, row in enumerate(cell.inputs)]
    arguments = ", ".join(f"tensors[{i}]" for i in range(len(cell.inputs)))
    session = _SESSION.replace("$tensors", "\n".join(tensors)).replace("$file", _FILE).replace("$arguments", arguments)
    includes = [f"#include <tvm/ffi/{name}.h>" for name in ("container/array", "container/tensor", "extra/module", "function")]
    return CppParts(includes="\n".join([*includes, "", "namespace ffi = tvm::ffi;"]), session=session, cmake=_CMAKE,
                    hint="-D CMAKE_PREFIX_PATH=$(python -c 'import tvm; print(tvm.__path__[0])')/..",
                    environment=_ENVIRONMENT, file=_FILE)


def _compile(cell):
    options = cell.options
    if options["device"] != "cpu":
        raise CompilerError("invalid_option", f'programs are written for the CPU, not for {options["device"]} yet')
    os.environ.update(_ENVIRONMENT)
    request = {name: options[name] for name in ("trials", "early_stop", "seed", "frontend")}
    cell.compile_natively(os.path.dirname(__file__), _FILE, gpu=None,
                          settings=dict(cell.settings), cache=cell.cache, is_tuned=True, **request)
