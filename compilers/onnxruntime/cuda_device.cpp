// SPDX-License-Identifier: Apache-2.0
#include "cuda_device.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "../plugin_boundary.h"

namespace ngb::onnxruntime {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDriver = "libcuda.so.1";
constexpr const char* kAdvice = "run this cell on a device with an NVIDIA GPU and its driver";
constexpr int kOutOfMemory = 2;  // CUDA_ERROR_OUT_OF_MEMORY

}  // namespace

template <class... Arguments>
int CudaDevice::call(const char* name, Arguments... arguments) const {
  void* const symbol = ::dlsym(driver_, name);
  if (symbol == nullptr) throw plugin::Failure(NGB_IMPORT_ERROR, std::string("the NVIDIA driver has no ") + name);
  return reinterpret_cast<int (*)(Arguments...)>(symbol)(arguments...);
}

CudaDevice::CudaDevice(const std::string& asked_by) : driver_(::dlopen(kDriver, RTLD_NOW | RTLD_NODELETE)) {
  const std::string no_device = "no CUDA device: " + asked_by + " needs one";
  if (driver_ == nullptr) {
    throw plugin::Failure(NGB_NO_DEVICE, no_device + ", and there is no NVIDIA driver here (" + ::dlerror() + ")",
                          kAdvice);
  }
  int status = call("cuInit", 0U);
  int count = 0;
  if (status == 0) status = call("cuDeviceGetCount", &count);
  if (status != 0 || count == 0) {
    const std::string why = status != 0 ? explain(status) : "the driver shows none to this process";
    throw plugin::Failure(NGB_NO_DEVICE, no_device + "; " + why, kAdvice);
  }
  void* context = nullptr;
  check(call("cuDeviceGet", &device_, 0), "find the GPU");
  check(call("cuDevicePrimaryCtxRetain", &context, device_), "use the GPU");
  check(call("cuCtxSetCurrent", context), "use the GPU");
}

CudaDevice::~CudaDevice() {
  void* const release = ::dlsym(driver_, "cuDevicePrimaryCtxRelease_v2");
  if (release != nullptr) reinterpret_cast<int (*)(int)>(release)(device_);
}

std::string CudaDevice::name() const {
  std::array<char, 256> text{};
  check(call("cuDeviceGetName", text.data(), static_cast<int>(text.size()) - 1, device_), "name the GPU");
  return text.data();
}

void CudaDevice::copy_in(void* to, const void* from, std::size_t bytes) const {
  check(call("cuMemcpyHtoD_v2", reinterpret_cast<std::uint64_t>(to), from, bytes), "copy to the GPU");
  check(call("cuCtxSynchronize"), "copy to the GPU");
}

void CudaDevice::copy_out(void* to, const void* from, std::size_t bytes) const {
  check(call("cuCtxSynchronize"), "wait for the GPU");
  check(call("cuMemcpyDtoH_v2", to, reinterpret_cast<std::uint64_t>(from), bytes), "copy from the GPU");
}

void CudaDevice::check(int status, const char* doing) const {
  if (status == 0) return;
  throw plugin::Failure(status == kOutOfMemory ? NGB_OUT_OF_MEMORY : NGB_DEVICE_LOST,
                        std::string("onnxruntime cannot ") + doing + ": " + explain(status));
}

std::string CudaDevice::explain(int status) const {
  const char* text = nullptr;
  const bool is_known = call("cuGetErrorString", status, &text) == 0 && text != nullptr;
  const std::string code = "CUDA error " + std::to_string(status);
  return is_known ? std::string(text) + " (" + code + ")" : code;
}

void open_cuda_libraries(const std::string& toolchain_dir) {
  constexpr std::array<std::string_view, 11> kWanted{
      "libcudart.so", "libnvJitLink.so", "libcublasLt.so", "libcublas.so",         "libnvrtc.so",       "libcurand.so",
      "libcufft.so",  "libcudnn",        "libnvinfer.so",  "libnvinfer_plugin.so", "libnvonnxparser.so"};
  std::vector<fs::path> folders{fs::path(toolchain_dir) / "tensorrt_libs"};
  std::error_code code;
  for (fs::directory_iterator package(fs::path(toolchain_dir) / "nvidia", code), end; !code && package != end;
       package.increment(code)) {
    folders.push_back(package->path() / "lib");
  }
  for (const std::string_view prefix : kWanted) {
    for (const fs::path& folder : folders) {
      std::error_code none;
      for (fs::directory_iterator file(folder, none), end; !none && file != end; file.increment(none)) {
        if (!file->path().filename().string().starts_with(prefix)) continue;
        // What is of no use here fails, and what is missing is named by the provider's own library.
        (void)::dlopen(file->path().c_str(), RTLD_LAZY | RTLD_GLOBAL | RTLD_NODELETE);
      }
    }
  }
}

}  // namespace ngb::onnxruntime
