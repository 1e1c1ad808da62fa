// SPDX-License-Identifier: Apache-2.0
// CudaDevice is the first NVIDIA GPU that this process may use, through the driver's own library, which is opened at
// run time. That library exists on every machine with such a GPU, Jetson included, and serves programs of all older
// CUDA versions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ngraphbench/plugin_boundary.h"

namespace ngb::plugin {

// Returns the kind of failure of an error of CUDA, whose numbers the driver and the runtime library share.
ngb_status kind_of_cuda_error(int status);

class CudaDevice {
 public:
  // Makes the GPU's primary context, which CUDA's libraries also use, current in this thread, after it was set how
  // threads `wait` for the GPU: "spin" or "block". Throws Failure(NGB_NO_DEVICE) without a GPU or driver; the message
  // says that `asked_by` needs one.
  CudaDevice(const std::string& asked_by, std::string_view wait);
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string compute_capability() const;   // "8.7"
  [[nodiscard]] std::string driver_cuda_version() const;  // "12.6"
  // Returns a CU_DEVICE_ATTRIBUTE_…, by its number. Throws Failure.
  [[nodiscard]] int attribute(int which) const;
  // Copies between an address on the GPU and one in our memory; complete on return. Throws Failure.
  void copy_in(void* to, const void* from, std::size_t bytes) const;
  void copy_out(void* to, const void* from, std::size_t bytes) const;

  // Returns the driver's function of that name. Its caller must check the status. Throws Failure(NGB_IMPORT_ERROR).
  template <class... Arguments>
  auto function(const char* name) const {
    return reinterpret_cast<int (*)(Arguments...)>(symbol(name));
  }
  // Calls the function and returns its status. Arguments must have exactly the types that cuda.h declares; a device
  // pointer has 64 bits.
  template <class... Arguments>
  int status_of(const char* name, Arguments... arguments) const {
    return function<Arguments...>(name)(arguments...);
  }
  // Throws Failure if the call fails.
  template <class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    if (const int status = status_of(name, arguments...); status != 0) throw failure(name, status);
  }
  // Returns the failure for a status other than 0 of that function.
  [[nodiscard]] Failure failure(const char* name, int status) const;

 private:
  [[nodiscard]] void* symbol(const char* name) const;
  [[nodiscard]] std::string explain(int status) const;

  void* driver_;
  int device_ = 0;
};

}  // namespace ngb::plugin
