// SPDX-License-Identifier: Apache-2.0
// The first NVIDIA GPU that this process may see, through the driver's own library, opened at run time: whether it is
// there, and copies to and from its memory.
#pragma once

#include <cstddef>
#include <string>

namespace ngb::onnxruntime {

class CudaDevice {
 public:
  // Its primary context, which ONNX Runtime uses as well, becomes this thread's. Throws plugin::Failure(NGB_NO_DEVICE)
  // where there is no GPU or no driver. `asked_by`: who wants it, for the message.
  explicit CudaDevice(const std::string& asked_by);
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  [[nodiscard]] std::string name() const;
  // Complete on return. `to` and `from`: an address on the GPU, and one of ours. Throw plugin::Failure.
  void copy_in(void* to, const void* from, std::size_t bytes) const;
  void copy_out(void* to, const void* from, std::size_t bytes) const;

 private:
  // Calls the driver's function of that name; its status.
  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const;
  void check(int status, const char* doing) const;
  [[nodiscard]] std::string explain(int status) const;

  void* driver_;
  int device_ = 0;
};

// Opens the CUDA libraries that pip has laid out in the toolchain (nvidia/*/lib), which the loader would not find
// there.
void open_cuda_libraries(const std::string& toolchain_dir);

}  // namespace ngb::onnxruntime
