// SPDX-License-Identifier: Apache-2.0
// The first NVIDIA GPU that this process may see, through the driver's own library, opened at run time. That library is
// on every machine with such a GPU, Jetson included, and serves programs of every older CUDA version.
#pragma once

#include <cstddef>
#include <string>

#include "plugin_boundary.h"

namespace ngb::plugin {

class CudaDevice {
 public:
  // Its primary context, which CUDA's libraries use as well, becomes this thread's. Throws Failure(NGB_NO_DEVICE) where
  // there is no GPU or no driver. `asked_by`: who wants it, for the message.
  explicit CudaDevice(const std::string& asked_by);
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string compute_capability() const;   // "8.7"
  [[nodiscard]] std::string driver_cuda_version() const;  // "12.6"
  // Complete on return. `to` and `from`: an address on the GPU, and one of ours. Throw Failure.
  void copy_in(void* to, const void* from, std::size_t bytes) const;
  void copy_out(void* to, const void* from, std::size_t bytes) const;

  // The driver's function of that name, whose status is to be looked at. Throws Failure(NGB_IMPORT_ERROR).
  template <class... Arguments>
  auto function(const char* name) const {
    return reinterpret_cast<int (*)(Arguments...)>(symbol(name));
  }
  // Calls it; its status. The arguments have to be of the very types that cuda.h declares, a device pointer of 64 bits.
  template <class... Arguments>
  int status_of(const char* name, Arguments... arguments) const {
    return function<Arguments...>(name)(arguments...);
  }
  // Throws Failure unless it succeeds.
  template <class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    if (const int status = status_of(name, arguments...); status != 0) throw failure(name, status);
  }
  // What a status other than 0 of that function says.
  [[nodiscard]] Failure failure(const char* name, int status) const;

 private:
  [[nodiscard]] void* symbol(const char* name) const;
  [[nodiscard]] std::string explain(int status) const;
  [[nodiscard]] int attribute(int which) const;

  void* driver_;
  int device_ = 0;
};

}  // namespace ngb::plugin
