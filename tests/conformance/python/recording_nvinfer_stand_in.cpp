// SPDX-License-Identifier: Apache-2.0
// Not TensorRT: a stand-in for libnvinfer.so that writes down, in the log of the CUDA stand-in, the folder in which it
// is told to search its kernels, and what NVIDIA_TF32_OVERRIDE said when it was loaded.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

void note(const std::string& text) {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW);
  reinterpret_cast<void (*)(const char*)>(::dlsym(driver, "recording_stand_in_note"))(text.c_str());
}

__attribute__((constructor)) void loaded() {
  const char* const tf32 = std::getenv("NVIDIA_TF32_OVERRIDE");
  note("libnvinfer loaded, NVIDIA_TF32_OVERRIDE=" + std::string(tf32 == nullptr ? "" : tf32));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) bool setInternalLibraryPath(const char* path) {
  note("setInternalLibraryPath " + std::filesystem::path(path).filename().string());
  return true;
}
