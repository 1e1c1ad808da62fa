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
        // Errors are ignored: some libraries cannot be loaded and are not needed, and the provider names a missing one.
        (void)::dlopen(file->path().c_str(), RTLD_LAZY | RTLD_GLOBAL | RTLD_NODELETE);
      }
    }
  }
}

}  // namespace ngb::onnxruntime
