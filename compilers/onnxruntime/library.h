// SPDX-License-Identifier: Apache-2.0
// The opened library and its function table; owners for its objects.
#pragma once

#include <onnxruntime_c_api.h>

#include <memory>
#include <string>

#include "../late_binding.h"

namespace ngb::onnxruntime {

// Everything used here is in the C API since version 11 (ONNX Runtime 1.11): older libraries work too.
inline constexpr std::uint32_t kApiVersion = 11;

class Runtime {
 public:
  // Throws plugin::Failure: toolchain missing, library broken, library too old.
  explicit Runtime(const std::string& toolchain_dir);

  [[nodiscard]] const OrtApi& api() const { return *api_; }
  // The functions as of a later version. Throws plugin::Failure where the library does not serve it.
  [[nodiscard]] const OrtApi& api_of(std::uint32_t api_version) const;
  [[nodiscard]] const std::string& version() const { return version_; }  // "1.31.1"

  // Throws plugin::Failure when `status` is an error, taken over here. `doing`: "compile".
  void check(OrtStatus* status, const char* doing) const;

 private:
  plugin::Library library_;
  std::string version_;
  const OrtApiBase* base_ = nullptr;
  const OrtApi* api_ = nullptr;
};

// An object of the library and how to release it.
template <class T>
using Owned = std::unique_ptr<T, void(ORT_API_CALL*)(T*)>;

}  // namespace ngb::onnxruntime
