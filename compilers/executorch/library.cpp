// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <dlfcn.h>

#include <filesystem>

namespace ngb::executorch {
namespace {

constexpr const char* kFolder = "executorch/lib";

// The pool's header is not in the wheel; these are its functions' names in the library.
constexpr const char* kGetPool = "_ZN10executorch9extension10threadpool14get_threadpoolEv";
constexpr const char* kResetPool = "_ZN10executorch9extension10threadpool10ThreadPool24_unsafe_reset_threadpoolEj";
constexpr const char* kCountThreads = "_ZNK10executorch9extension10threadpool10ThreadPool16get_thread_countEv";

plugin::Library open_library(const std::string& toolchain_dir, const char* name) {
  return plugin::Library(plugin::find_library(toolchain_dir, kFolder, name, "executorch"), RTLD_GLOBAL);
}

// Returns program.so, which is beside the plugin.
std::filesystem::path program_library() {
  Dl_info info{};
  ::dladdr(reinterpret_cast<const void*>(&open_library), &info);
  return std::filesystem::path(info.dli_fname == nullptr ? "" : info.dli_fname).parent_path() / "program.so";
}

}  // namespace

Runtime::Runtime(const std::string& toolchain_dir, bool has_xnnpack, int threads)
    : core_(open_library(toolchain_dir, "libexecutorch.so")),
      pool_library_(open_library(toolchain_dir, "libexecutorch_threadpool.so")),
      pool_(pool_library_.function<void* (*)()>(kGetPool)()) {
  open_library(toolchain_dir, "libexecutorch_kernels_optimized.so");  // which registers its kernels
  if (has_xnnpack) open_library(toolchain_dir, "libexecutorch_backend_xnnpack.so");
  if (pool_ == nullptr ||
      !pool_library_.function<bool (*)(void*, std::uint32_t)>(kResetPool)(pool_, static_cast<std::uint32_t>(threads))) {
    throw plugin::Failure(NGB_FALLBACK, "ExecuTorch cannot make a pool of " + std::to_string(threads) + " threads");
  }
  const plugin::Library program(program_library());
  open_ = program.function<OpenProgram>(kOpenProgram);
  has_kernel_ = program.function<HasKernel>(kHasKernel);
}

int Runtime::threads() const {
  return static_cast<int>(pool_library_.function<std::size_t (*)(const void*)>(kCountThreads)(pool_));
}

std::unique_ptr<Program> Runtime::open(const std::string& path, bool is_profiled) const {
  return std::unique_ptr<Program>(open_(path.c_str(), is_profiled));
}

}  // namespace ngb::executorch
