// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <stdlib.h>

#include <array>
#include <filesystem>

namespace ngb::tvm {
namespace {

// The library is opened globally, because compiled models search its functions in the whole process.
Functions open_libraries(const std::string& toolchain_dir, int threads) {
  ::setenv("TVM_NUM_THREADS", std::to_string(threads).c_str(), 1);
  ::setenv("TVM_BIND_THREADS", "0", 1);  // binding would leave the host's choice of processors
  const plugin::Library ffi(plugin::find_library(toolchain_dir, "tvm_ffi/lib", "libtvm_ffi.so", "tvm"), RTLD_GLOBAL);
  const plugin::Library runtime(plugin::find_library(toolchain_dir, "tvm/lib", "libtvm_runtime.so", "tvm"));
  // Functions of compiled models that are no kernels of their own, such as sort and topk. Versions without this library
  // have them in the one above.
  const std::string extra = toolchain_dir + "/tvm/lib/libtvm_runtime_extra.so";
  if (std::filesystem::exists(extra)) plugin::Library{extra};
  return {ffi.function<decltype(&TVMFFIFunctionGetGlobal)>("TVMFFIFunctionGetGlobal"),
          ffi.function<decltype(&TVMFFIFunctionCall)>("TVMFFIFunctionCall"),
          ffi.function<decltype(&TVMFFIObjectDecRef)>("TVMFFIObjectDecRef"),
          ffi.function<decltype(&TVMFFIErrorMoveFromRaised)>("TVMFFIErrorMoveFromRaised"),
          ffi.function<decltype(&TVMFFITensorFromDLPack)>("TVMFFITensorFromDLPack"),
          ffi.function<decltype(&TVMFFIFunctionCreate)>("TVMFFIFunctionCreate")};
}

}  // namespace

TVMFFIAny argument(std::int64_t number) {
  TVMFFIAny any{};
  any.type_index = kTVMFFIInt;
  any.v_int64 = number;
  return any;
}

TVMFFIAny argument(const char* text) {
  TVMFFIAny any{};
  any.type_index = kTVMFFIRawStr;
  any.v_c_str = text;
  return any;
}

bool Runtime::has_global(std::string_view name) const {
  const TVMFFIByteArray bytes{name.data(), name.size()};
  TVMFFIObjectHandle handle = nullptr;
  if (functions_.get_global(&bytes, &handle) != 0) throw failure("find a function");
  if (handle != nullptr) functions_.release(handle);
  return handle != nullptr;
}

Runtime::Runtime(const std::string& toolchain_dir, int threads) : functions_(open_libraries(toolchain_dir, threads)) {}

plugin::Failure Runtime::failure(const char* doing) const {
  TVMFFIObjectHandle error = nullptr;
  functions_.take_error(&error);
  std::string message = std::string("TVM cannot ") + doing;
  if (error == nullptr) return {NGB_COMPILER_FAILED, message};
  const TVMFFIErrorCell& cell = *TVMFFIErrorGetCellPtr(error);
  const std::string kind(cell.kind.data, cell.kind.size);
  message += ": " + kind + ": " + std::string(cell.message.data, cell.message.size);
  functions_.release(error);
  if (message.find("bad_alloc") != std::string::npos || kind == "MemoryError") return {NGB_OUT_OF_MEMORY, message};
  if (message.find("Cannot find ffi::Function") == std::string::npos) return {NGB_COMPILER_FAILED, message};
  return {NGB_UNSUPPORTED_OPERATOR, message,
          "TVM's runtime lacks this function, or has it in Python only; leave this model out for tvm"};
}

Value Runtime::global(std::string_view name) const {
  const TVMFFIByteArray bytes{name.data(), name.size()};
  Value function(functions_);
  TVMFFIObjectHandle handle = nullptr;
  if (functions_.get_global(&bytes, &handle) != 0) throw failure("find a function");
  if (handle == nullptr) {
    throw plugin::Failure(NGB_IMPORT_ERROR, "TVM's runtime has no function " + std::string(name),
                          "this version of TVM is too old or too new for the plugin; install a tested one");
  }
  function.put()->type_index = kTVMFFIFunction;
  function.put()->v_obj = static_cast<TVMFFIObject*>(handle);
  return function;
}

Value Runtime::call(const Value& function, std::span<TVMFFIAny> arguments, const char* doing) const {
  Value result(functions_);
  const auto count = static_cast<std::int32_t>(arguments.size());
  if (functions_.call(function.object(), arguments.data(), count, result.put()) != 0) throw failure(doing);
  return result;
}

Value Runtime::call(std::string_view global_name, std::span<TVMFFIAny> arguments, const char* doing) const {
  return call(global(global_name), arguments, doing);
}

Value Runtime::function_of(const Value& module, const char* name) const {
  TVMFFIAny with_imports{};
  with_imports.type_index = kTVMFFIBool;
  with_imports.v_int64 = 1;
  std::array<TVMFFIAny, 3> arguments{module.lend(), argument(name), with_imports};
  Value function = call("ffi.ModuleGetFunction", arguments, "find a function of the compiled model");
  if (function.type() == kTVMFFIFunction) return function;
  throw plugin::Failure(NGB_INTERNAL, std::string("the compiled model has no function ") + name);
}

}  // namespace ngb::tvm
