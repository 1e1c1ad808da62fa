// SPDX-License-Identifier: Apache-2.0
// Declares the opened library, its function table, and owners for its objects.
#pragma once

#include <onnxruntime_c_api.h>

#include <memory>
#include <string>

#include "../late_binding.h"

namespace ngb::onnxruntime {

// The C API has had everything used here since version 11 (ONNX Runtime 1.11), so older libraries work too.
inline constexpr std::uint32_t kApiVersion = 11;

class Runtime {
 public:
  // Throws plugin::Failure if the toolchain is missing, or the library is broken or too old.
  explicit Runtime(const std::string& toolchain_dir);

  [[nodiscard]] const OrtApi& api() const { return *api_; }
  // Returns the functions of a later version. Throws plugin::Failure if the library does not provide it.
  [[nodiscard]] const OrtApi& api_of(std::uint32_t api_version) const;
  [[nodiscard]] const std::string& version() const { return version_; }  // "1.31.1"

  // Returns whether the library's file contains the text with a zero behind it, as every name that it compares with.
  [[nodiscard]] bool has_text(const std::string& text) const;

  // Throws plugin::Failure if `status`, which it releases, is an error in `doing` ("compile the model").
  void check(OrtStatus* status, const char* doing) const;

 private:
  plugin::Library library_;
  std::string version_;
  const OrtApiBase* base_ = nullptr;
  const OrtApi* api_ = nullptr;
};

// Owned holds an object of the library and releases it.
template <class T>
using Owned = std::unique_ptr<T, void(ORT_API_CALL*)(T*)>;

}  // namespace ngb::onnxruntime
