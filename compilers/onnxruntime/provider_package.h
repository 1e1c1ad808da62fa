// SPDX-License-Identifier: Apache-2.0
// Uses a provider that is in a package of its own beside ONNX Runtime's: a library that ONNX Runtime opens at run time.
#pragma once

#include <onnxruntime_c_api.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "library.h"
#include "plugin_api.h"
#include "settings.h"

namespace ngb::onnxruntime {

struct ProviderPackage {
  std::string_view word;           // as the study has it: "openvino"
  const char* name;                // of its nodes in ONNX Runtime's profile: "OpenVINOExecutionProvider"
  std::string_view package;        // "onnxruntime-ep-openvino"
  std::string_view folder;         // in the toolchain
  std::string_view library;        // in that folder; the name begins with this
  std::string_view runs_on;        // for people: "Intel's processors"
  bool is_for_processors = false;  // only its device of type cpu is used; else the first that it finds
};

// Returns null if the provider is not in a package of its own.
const ProviderPackage* provider_package(std::string_view word);

// Returns the package's library, or "" if the toolchain does not have the package.
std::filesystem::path library_of(const ProviderPackage& package, const std::string& toolchain_dir);

class PackagedProvider {
 public:
  // Registers the library and chooses a device. `environment` must outlive this. Throws plugin::Failure:
  // NGB_IMPORT_ERROR if ONNX Runtime is too old or the library does not load, NGB_NO_DEVICE if it finds no device.
  PackagedProvider(const Runtime& runtime, OrtEnv* environment, const ProviderPackage& package,
                   const std::filesystem::path& library);

  // Adds the provider in f32 to a session's options.
  OrtStatus* append(OrtSessionOptions* options, const Settings& settings) const;

  [[nodiscard]] std::string device() const;   // "cpu", "gpu" or "npu"
  [[nodiscard]] std::string version() const;  // as the provider tells it; "" if it does not

 private:
  [[nodiscard]] const ProviderDevice* choose(const Runtime& runtime) const;

  const ProviderPackage& package_;
  OrtEnv* environment_;
  PluginApi api_;
  const ProviderDevice* device_ = nullptr;
};

}  // namespace ngb::onnxruntime
