// SPDX-License-Identifier: Apache-2.0
#include "cuda_libraries.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace ngb::onnxruntime {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kTensorRT = "libnvinfer.so";

// TensorRT opens the libraries with its kernels by their bare names, and the loader does not search our folder for
// them.
void tell_folder(void* library, const fs::path& folder) {
  const auto tell = reinterpret_cast<bool (*)(const char*)>(::dlsym(library, "setInternalLibraryPath"));
  if (tell != nullptr) (void)tell(folder.c_str());  // a missing library of kernels is named when an engine is built
}

}  // namespace

void open_cuda_libraries(const std::string& toolchain_dir) {
  constexpr std::array<std::string_view, 11> kWanted{
      "libcudart.so", "libnvJitLink.so", "libcublasLt.so", "libcublas.so",         "libnvrtc.so",       "libcurand.so",
      "libcufft.so",  "libcudnn",        kTensorRT,        "libnvinfer_plugin.so", "libnvonnxparser.so"};
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
        // Errors are ignored: some libraries cannot be loaded and are not needed, and the provider names a missing one.
        void* const library = ::dlopen(file->path().c_str(), RTLD_LAZY | RTLD_GLOBAL | RTLD_NODELETE);
        if (library != nullptr && prefix == kTensorRT) tell_folder(library, folder);
      }
    }
  }
}

}  // namespace ngb::onnxruntime
