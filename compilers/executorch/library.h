// SPDX-License-Identifier: Apache-2.0
// Opens ExecuTorch's libraries of a toolchain, and program.so, which calls them.
#pragma once

#include <memory>
#include <string>

#include "../late_binding.h"
#include "program.h"

namespace ngb::executorch {

class Runtime {
 public:
  // Throws plugin::Failure if the toolchain is missing or a library does not load. Sets ExecuTorch's pool to `threads`.
  Runtime(const std::string& toolchain_dir, bool has_xnnpack, int threads);

  // Returns the threads of ExecuTorch's pool.
  [[nodiscard]] int threads() const;
  [[nodiscard]] std::unique_ptr<Program> open(const std::string& path, bool is_profiled) const;
  [[nodiscard]] bool has_kernel(const std::string& operator_name) const { return has_kernel_(operator_name.c_str()); }

 private:
  plugin::Library core_;
  plugin::Library pool_library_;
  void* pool_;
  OpenProgram open_;
  HasKernel has_kernel_;
};

}  // namespace ngb::executorch
