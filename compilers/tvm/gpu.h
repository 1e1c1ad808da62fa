// SPDX-License-Identifier: Apache-2.0
// Gpu is the NVIDIA GPU for TVM: the part of TVM's runtime that drives it, the target to compile for, and the inputs in
// its memory.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "../cuda_device.h"
#include "library.h"
#include "ngraphbench/compiler.h"

namespace ngb::tvm {

// Returns the search path of shared libraries with the toolchain's CUDA libraries (nvidia/*/lib) first.
std::string cuda_library_path(const std::string& toolchain_dir);

class Gpu {
 public:
  // Opens libtvm_runtime_cuda.so, if this TVM has it as a file of its own. Throws plugin::Failure: NGB_NO_DEVICE if
  // there is no GPU, or TVM's runtime has no device API for CUDA; NGB_TOOLCHAIN_MISSING if CUDA's runtime library is
  // missing.
  Gpu(const Runtime& runtime, const std::string& toolchain_dir, const std::string& wait);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  [[nodiscard]] const plugin::CudaDevice& device() const { return device_; }
  // Returns the attributes of a target of kind "cuda" for this GPU. Throws plugin::Failure.
  [[nodiscard]] nlohmann::json target() const;
  // Returns the address on the GPU of a copy, which this object owns. Throws plugin::Failure.
  void* copy_of(const ngb_tensor& tensor);
  void free_all();
  // Returns 0 once the GPU has completed all work, or a status of CUDA.
  [[nodiscard]] int wait() const { return synchronize_(); }

 private:
  plugin::CudaDevice device_;
  int (*synchronize_)();
  std::vector<std::uint64_t> copies_;
};

}  // namespace ngb::tvm
