// SPDX-License-Identifier: Apache-2.0
// Transfer copies a session's inputs to the GPU and its outputs back, from and to page-locked memory. ONNX Runtime
// itself copies an input only once, when it is bound, so that the copy would be missing in all but the first inference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../cuda_device.h"

namespace ngb::onnxruntime {

class Transfer {
 public:
  // `gpu` must outlive this object. Throws plugin::Failure.
  explicit Transfer(const plugin::CudaDevice& gpu);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Keeps a copy of `data` for every inference. Throws plugin::Failure.
  void add_input(const void* on_gpu, const void* data, std::size_t bytes);
  // Returns the page-locked memory to which the output is copied; this object owns it. Throws plugin::Failure.
  void* add_output(const void* on_gpu, std::size_t bytes);

  // Copy all inputs to the GPU, and all outputs back. Complete on return. Return 0 or a status of CUDA.
  [[nodiscard]] int copy_in() const {
    int status = 0;
    for (const Copy& each : inputs_) {
      if (status == 0) status = copy_in_(each.on_gpu, each.host, each.bytes);
    }
    return status;
  }
  [[nodiscard]] int copy_out() const {
    int status = 0;
    for (const Copy& each : outputs_) {
      if (status == 0) status = copy_out_(each.host, each.on_gpu, each.bytes);
    }
    return status;
  }

 private:
  struct Copy {
    std::uint64_t on_gpu = 0;
    void* host = nullptr;
    std::size_t bytes = 0;
  };
  void* add(std::vector<Copy>& to, const void* on_gpu, std::size_t bytes);

  const plugin::CudaDevice& gpu_;
  int (*copy_in_)(std::uint64_t, const void*, std::size_t);
  int (*copy_out_)(void*, std::uint64_t, std::size_t);
  std::vector<Copy> inputs_;
  std::vector<Copy> outputs_;
};

}  // namespace ngb::onnxruntime
