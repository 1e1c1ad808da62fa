// SPDX-License-Identifier: Apache-2.0
#include "cuda_device.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace ngb::plugin {
namespace {

constexpr const char* kDriver = "libcuda.so.1";
constexpr const char* kAdvice = "run this compiler on a device with an NVIDIA GPU and its driver";
constexpr int kOutOfMemory = 2;
// After these errors (an uncorrectable memory error, a lost GPU, a failed kernel) nothing works in this process.
constexpr std::array kLost{46, 214, 700, 702, 714, 715, 716, 717, 718, 719};
constexpr int kMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_…
constexpr int kMinor = 76;
constexpr unsigned kSpin = 1;   // CU_CTX_SCHED_SPIN
constexpr unsigned kBlock = 4;  // CU_CTX_SCHED_BLOCKING_SYNC

}  // namespace

ngb_status kind_of_cuda_error(int status) {
  const bool is_lost = std::find(kLost.begin(), kLost.end(), status) != kLost.end();
  return status == kOutOfMemory ? NGB_OUT_OF_MEMORY : is_lost ? NGB_DEVICE_LOST : NGB_INTERNAL;
}

CudaDevice::CudaDevice(const std::string& asked_by, std::string_view wait)
    : driver_(::dlopen(kDriver, RTLD_NOW | RTLD_NODELETE)) {
  const std::string no_device = "no CUDA device: " + asked_by + " needs one";
  if (driver_ == nullptr) {
    throw Failure(NGB_NO_DEVICE, no_device + ", and there is no NVIDIA driver here (" + ::dlerror() + ")", kAdvice);
  }
  int status = status_of("cuInit", 0U);
  int count = 0;
  if (status == 0) status = status_of("cuDeviceGetCount", &count);
  if (status != 0 || count == 0) {
    const std::string why = status != 0 ? explain(status) : "the driver shows none to this process";
    throw Failure(NGB_NO_DEVICE, no_device + "; " + why, kAdvice);
  }
  void* context = nullptr;
  call("cuDeviceGet", &device_, 0);
  call("cuDevicePrimaryCtxSetFlags_v2", device_, wait == "block" ? kBlock : kSpin);
  call("cuDevicePrimaryCtxRetain", &context, device_);
  call("cuCtxSetCurrent", context);
}

CudaDevice::~CudaDevice() {
  void* const release = ::dlsym(driver_, "cuDevicePrimaryCtxRelease_v2");
  if (release != nullptr) reinterpret_cast<int (*)(int)>(release)(device_);
}

std::string CudaDevice::name() const {
  std::array<char, 256> text{};
  call("cuDeviceGetName", text.data(), static_cast<int>(text.size()) - 1, device_);
  return text.data();
}

std::string CudaDevice::compute_capability() const {
  return std::to_string(attribute(kMajor)) + "." + std::to_string(attribute(kMinor));
}

std::string CudaDevice::driver_cuda_version() const {
  int version = 0;
  call("cuDriverGetVersion", &version);
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void CudaDevice::copy_in(void* to, const void* from, std::size_t bytes) const {
  call("cuMemcpyHtoD_v2", reinterpret_cast<std::uint64_t>(to), from, bytes);
  call("cuCtxSynchronize");
}

void CudaDevice::copy_out(void* to, const void* from, std::size_t bytes) const {
  call("cuCtxSynchronize");
  call("cuMemcpyDtoH_v2", to, reinterpret_cast<std::uint64_t>(from), bytes);
}

Failure CudaDevice::failure(const char* name, int status) const {
  return {kind_of_cuda_error(status), std::string(name) + ": " + explain(status)};
}

void* CudaDevice::symbol(const char* name) const {
  if (void* const found = ::dlsym(driver_, name)) return found;
  throw Failure(NGB_IMPORT_ERROR, std::string("the NVIDIA driver is too old: ") + kDriver + " has no " + name,
                "install one of CUDA 11.4 or newer");
}

std::string CudaDevice::explain(int status) const {
  const char* text = nullptr;
  const bool is_known = status_of("cuGetErrorString", status, &text) == 0 && text != nullptr;
  const std::string code = "CUDA error " + std::to_string(status);
  return is_known ? std::string(text) + " (" + code + ")" : code;
}

int CudaDevice::attribute(int which) const {
  int value = 0;
  call("cuDeviceGetAttribute", &value, which, device_);
  return value;
}

}  // namespace ngb::plugin
