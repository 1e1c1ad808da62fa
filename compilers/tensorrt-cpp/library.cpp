// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "logger.h"

namespace ngb::tensorrt {
namespace {

namespace fs = std::filesystem;

constexpr int kMajor = NV_TENSORRT_MAJOR;
constexpr int kVisibility = RTLD_GLOBAL;  // each needs those before it
constexpr const char* kHowToGetIt =
    "install it (ngb toolchain install tensorrt), or adopt an existing installation, such as JetPack's "
    "(ngb toolchain adopt tensorrt FOLDER)";

[[noreturn]] void refuse(const std::string& found) {
  throw plugin::Failure(NGB_IMPORT_ERROR,
                        "this plugin was built for TensorRT " + std::to_string(kMajor) + ", and " + found,
                        "name a toolchain of version " + std::to_string(kMajor) +
                            " in the study, build the plugin with the headers of that version, or use tensorrt, "
                            "which supports any");
}

std::string name_of(const std::string& stem, int major) { return stem + "." + std::to_string(major); }

// Returns the file in `folder` with this stem ("libnvinfer.so") and our major version, or an empty path if there is
// none. Throws if there are only files of other versions.
fs::path file_in(const fs::path& folder, const std::string& stem) {
  const std::string name = name_of(stem, kMajor);
  fs::path found;
  fs::path other;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    const std::string file = entry->path().filename().string();
    const bool is_ours = file == name || file.starts_with(name + ".");
    if (is_ours && (found.empty() || entry->path() < found)) found = entry->path();
    if (!is_ours && file.starts_with(stem + ".")) other = entry->path();
  }
  if (found.empty() && !other.empty()) refuse("the toolchain has " + other.string());
  return found;
}

// Returns the name by which the system's loader finds the library. Throws if it does not.
fs::path name_for_loader(const std::string& stem, const fs::path& folder) {
  const std::string name = name_of(stem, kMajor);
  if (::dlopen(name.c_str(), RTLD_NOW | kVisibility | RTLD_NODELETE) != nullptr) return name;
  const std::string why = ::dlerror();
  if (!why.starts_with(name + ": cannot open shared object file")) {
    throw plugin::Failure(NGB_IMPORT_ERROR, "TensorRT's library does not load: " + why,
                          "install or adopt the toolchain again");
  }
  for (int major = 8; major < kMajor + 5; ++major) {
    const std::string other = name_of(stem, major);
    if (major != kMajor && ::dlopen(other.c_str(), RTLD_LAZY) != nullptr) refuse("the system has " + other);
  }
  throw plugin::Failure(
      NGB_TOOLCHAIN_MISSING,
      "there is no " + name + " in " + folder.string() + ", nor in the folders of the system's loader",
      std::string(kHowToGetIt) + "; or put the libraries into " + folder.string() +
          ", or name their folder in LD_LIBRARY_PATH");
}

plugin::Library open(const std::string& toolchain_dir, const std::string& stem) {
  std::error_code code;
  if (toolchain_dir.empty() || !fs::is_directory(toolchain_dir, code)) {
    throw plugin::Failure(NGB_TOOLCHAIN_MISSING, "there is no toolchain of TensorRT in \"" + toolchain_dir + "\"",
                          kHowToGetIt);
  }
  const fs::path folder = fs::path(toolchain_dir) / "tensorrt_libs";
  const fs::path found = file_in(folder, stem);
  return plugin::Library(found.empty() ? name_for_loader(stem, folder) : found, kVisibility);
}

// The parser is linked with the library of plugins, which is beside it or found by the loader.
plugin::Library open_parser(const std::string& toolchain_dir) {
  const fs::path plugins = file_in(fs::path(toolchain_dir) / "tensorrt_libs", "libnvinfer_plugin.so");
  if (!plugins.empty()) plugin::Library(plugins, kVisibility);
  return open(toolchain_dir, "libnvonnxparser.so");
}

}  // namespace

Runtime::Runtime(const std::string& toolchain_dir)
    : inference_(open(toolchain_dir, "libnvinfer.so")), parser_(open_parser(toolchain_dir)) {
  read_version();
  if (major_ != kMajor || !is_at_least(8, 6)) refuse(path_ + " is version " + version_);
  tell_folder();
}

// TensorRT opens the libraries with its kernels (libnvinfer_builder_resource_*.so) by their bare names. The loader does
// not search our folder for them. Versions before 10.7 lack this function: they need the folder in LD_LIBRARY_PATH.
void Runtime::tell_folder() const {
  const fs::path folder = inference_.path().parent_path();
  const auto set = inference_.find<bool (*)(const char*)>("setInternalLibraryPath");
  if (folder.empty() || set == nullptr || set(folder.c_str())) return;
  std::fprintf(stderr, "TensorRT does not accept %s as the folder of its kernels\n", folder.c_str());
}

std::string Runtime::kernels_advice(const std::string& reason) const {
  if (reason.find("builder_resource") == std::string::npos) return {};
  const std::string folder = fs::path(path_).parent_path().string();
  if (inference_.find<void*>("setInternalLibraryPath") != nullptr) {
    return "put TensorRT's kernels (libnvinfer_builder_resource*) into " + folder + ", beside its other libraries";
  }
  return "put " + folder +
         " into LD_LIBRARY_PATH before ngb starts, because TensorRT before 10.7 searches its kernels " +
         "nowhere else; or use 10.7 or later";
}

// 8601 is 8.6.1, and 101600 is 10.16.0.
void Runtime::read_version() {
  const auto ask = inference_.function<std::int32_t (*)()>("getInferLibVersion");
  const int number = ask();
  const bool is_early = number < 10000;
  major_ = number / (is_early ? 1000 : 10000);
  minor_ = number / 100 % (is_early ? 10 : 100);
  version_ = std::to_string(major_) + "." + std::to_string(minor_) + "." + std::to_string(number % 100);
  Dl_info where{};
  if (::dladdr(reinterpret_cast<const void*>(ask), &where) == 0 || where.dli_fname == nullptr) return;
  path_ = where.dli_fname;
  void* const handle = ::dlopen(path_.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  void* const build = handle == nullptr ? nullptr : ::dlsym(handle, "getInferLibBuildVersion");
  if (build != nullptr) version_ += "." + std::to_string(reinterpret_cast<std::int32_t (*)()>(build)());
}

bool Runtime::is_at_least(int major, int minor) const { return major_ > major || (major_ == major && minor_ >= minor); }

std::unique_ptr<nvinfer1::IBuilder> Runtime::make_builder() const {
  const auto make = inference_.function<void* (*)(void*, std::int32_t)>("createInferBuilder_INTERNAL");
  logger().forget();
  std::unique_ptr<nvinfer1::IBuilder> made(static_cast<nvinfer1::IBuilder*>(make(&logger(), NV_TENSORRT_VERSION)));
  if (made != nullptr) return made;
  const std::string reason = logger().reason();
  throw plugin::Failure(NGB_COMPILER_FAILED, "TensorRT cannot make a builder: " + reason, kernels_advice(reason));
}

std::unique_ptr<nvinfer1::IRuntime> Runtime::make_runtime() const {
  const auto make = inference_.function<void* (*)(void*, std::int32_t)>("createInferRuntime_INTERNAL");
  logger().forget();
  auto* const made = static_cast<nvinfer1::IRuntime*>(make(&logger(), NV_TENSORRT_VERSION));
  // When it fails, 10.15 may return a small offset instead of null. The kernel maps nothing below this address.
  constexpr std::uintptr_t kLowestAddress = 1U << 16U;
  if (reinterpret_cast<std::uintptr_t>(made) >= kLowestAddress) return std::unique_ptr<nvinfer1::IRuntime>(made);
  throw plugin::Failure(NGB_COMPILER_FAILED, "TensorRT cannot make a runtime: " + logger().reason());
}

std::unique_ptr<nvonnxparser::IParser> Runtime::make_parser(nvinfer1::INetworkDefinition& network) const {
  const auto make = parser_.function<void* (*)(void*, void*, int)>("createNvOnnxParser_INTERNAL");
  logger().forget();
  std::unique_ptr<nvonnxparser::IParser> made(
      static_cast<nvonnxparser::IParser*>(make(&network, &logger(), NV_ONNX_PARSER_VERSION)));
  if (made != nullptr) return made;
  throw plugin::Failure(NGB_COMPILER_FAILED, "TensorRT cannot make a parser: " + logger().reason());
}

}  // namespace ngb::tensorrt
