// SPDX-License-Identifier: Apache-2.0
// Declares TVM's runtime behind the stable C ABI of tvm_ffi, opened at run time.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "../late_binding.h"

namespace ngb::tvm {

struct Functions {
  decltype(&TVMFFIFunctionGetGlobal) get_global;
  decltype(&TVMFFIFunctionCall) call;
  decltype(&TVMFFIObjectDecRef) release;
  decltype(&TVMFFIErrorMoveFromRaised) take_error;
  decltype(&TVMFFITensorFromDLPack) tensor_from_dlpack;
  decltype(&TVMFFIFunctionCreate) create;
};

// Value owns a value of TVM's.
class Value {
 public:
  explicit Value(const Functions& functions) : functions_(&functions) {}
  Value(Value&& other) noexcept : functions_(other.functions_), any_(std::exchange(other.any_, {})) {}
  Value& operator=(Value&& other) noexcept {
    std::swap(any_, other.any_);
    return *this;
  }
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  ~Value() { reset(); }

  void reset() {
    if (any_.type_index >= kTVMFFIStaticObjectBegin) functions_->release(any_.v_obj);
    any_ = {};
  }
  // Returns where a function puts its result. The value must be empty.
  TVMFFIAny* put() { return &any_; }
  // The result is valid as long as this.
  [[nodiscard]] const TVMFFIAny& lend() const { return any_; }
  [[nodiscard]] std::int32_t type() const { return any_.type_index; }
  [[nodiscard]] TVMFFIObjectHandle object() const { return any_.v_obj; }

 private:
  const Functions* functions_;
  TVMFFIAny any_{};
};

// Returns an argument for a call. `text` must be valid until the call returns.
TVMFFIAny argument(std::int64_t number);
TVMFFIAny argument(const char* text);

class Runtime {
 public:
  // Sets the number of threads that the runtime may start, before the runtime reads it. Throws plugin::Failure if the
  // toolchain is missing or the library broken.
  Runtime(const std::string& toolchain_dir, int threads);

  [[nodiscard]] const Functions& functions() const { return functions_; }
  // All of these throw plugin::Failure with TVM's own message. `doing` is what TVM cannot do: "load the model".
  Value global(std::string_view name) const;
  [[nodiscard]] bool has_global(std::string_view name) const;
  Value call(const Value& function, std::span<TVMFFIAny> arguments, const char* doing) const;
  Value call(std::string_view global_name, std::span<TVMFFIAny> arguments, const char* doing) const;
  // Returns a function of a module.
  Value function_of(const Value& module, const char* name) const;
  // Returns the failure of the last call that failed.
  [[nodiscard]] plugin::Failure failure(const char* doing) const;

 private:
  Functions functions_;
};

}  // namespace ngb::tvm
