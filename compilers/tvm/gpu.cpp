// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

namespace ngb::tvm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRuntime = "tvm/lib/libtvm_runtime_cuda.so";
constexpr const char* kDeviceApi = "device_api.cuda";
// Numbers of CU_DEVICE_ATTRIBUTE_…
constexpr int kThreadsPerBlock = 1;
constexpr int kSharedMemoryPerBlock = 8;
constexpr int kWarpSize = 10;
constexpr int kRegistersPerBlock = 12;
constexpr int kL2CacheBytes = 38;

std::vector<fs::path> cuda_folders(const std::string& toolchain_dir) {
  std::vector<fs::path> folders;
  std::error_code code;
  for (fs::directory_iterator package(fs::path(toolchain_dir) / "nvidia", code), end; !code && package != end;
       package.increment(code)) {
    folders.push_back(package->path() / "lib");
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

// CUDA's runtime library is in the toolchain (package nvidia-cuda-runtime) or found by the loader. Errors are ignored:
// if it is missing, the library that needs it names it.
void open_cuda_runtime(const std::string& toolchain_dir) {
  for (const fs::path& folder : cuda_folders(toolchain_dir)) {
    std::error_code code;
    for (fs::directory_iterator file(folder, code), end; !code && file != end; file.increment(code)) {
      if (!file->path().filename().string().starts_with("libcudart.so")) continue;
      (void)::dlopen(file->path().c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    }
  }
}

void open_runtime(const Runtime& runtime, const std::string& toolchain_dir) {
  if (runtime.has_global(kDeviceApi)) return;  // this build has it in the library that is open already
  const fs::path path = fs::path(toolchain_dir) / kRuntime;
  std::error_code code;
  if (fs::exists(path, code)) {
    open_cuda_runtime(toolchain_dir);
    if (::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE) == nullptr) {
      throw plugin::Failure(NGB_TOOLCHAIN_MISSING, std::string("TVM's runtime for CUDA does not load: ") + ::dlerror(),
                            "install CUDA's runtime library of that version (package nvidia-cuda-runtime) beside TVM, "
                            "or name its folder in LD_LIBRARY_PATH");
    }
  }
  if (runtime.has_global(kDeviceApi)) return;
  throw plugin::Failure(NGB_NO_DEVICE, "no CUDA device: this TVM's runtime has no device API for CUDA",
                        "adopt a TVM that was built with USE_CUDA (ngb toolchain adopt tvm FOLDER), or leave out "
                        "device: cuda");
}

}  // namespace

std::string cuda_library_path(const std::string& toolchain_dir) {
  std::string path;
  for (const fs::path& folder : cuda_folders(toolchain_dir)) path += folder.string() + ":";
  const char* const before = std::getenv("LD_LIBRARY_PATH");
  if (before != nullptr) path += before;
  return path.ends_with(':') ? path.substr(0, path.size() - 1) : path;
}

Gpu::Gpu(const Runtime& runtime, const std::string& toolchain_dir, const std::string& wait)
    : device_("TVM", wait), synchronize_(device_.function<>("cuCtxSynchronize")) {
  open_runtime(runtime, toolchain_dir);
}

Gpu::~Gpu() { free_all(); }

nlohmann::json Gpu::target() const {
  std::string architecture = "sm_";
  for (const char character : device_.compute_capability()) {
    if (character != '.') architecture += character;
  }
  const int threads = device_.attribute(kThreadsPerBlock);
  return {{"kind", "cuda"},
          {"arch", architecture},
          {"max_num_threads", threads},
          {"max_threads_per_block", threads},
          {"max_shared_memory_per_block", device_.attribute(kSharedMemoryPerBlock)},
          {"registers_per_block", device_.attribute(kRegistersPerBlock)},
          {"l2_cache_size_bytes", device_.attribute(kL2CacheBytes)},
          {"thread_warp_size", device_.attribute(kWarpSize)}};
}

void* Gpu::copy_of(const ngb_tensor& tensor) {
  std::uint64_t address = 0;
  device_.call("cuMemAlloc_v2", &address, static_cast<std::size_t>(std::max<std::uint64_t>(tensor.size_bytes, 1)));
  copies_.push_back(address);
  void* const on_gpu = reinterpret_cast<void*>(address);
  device_.copy_in(on_gpu, tensor.data, tensor.size_bytes);
  return on_gpu;
}

void Gpu::free_all() {
  for (const std::uint64_t address : copies_) device_.status_of("cuMemFree_v2", address);
  copies_.clear();
}

}  // namespace ngb::tvm
