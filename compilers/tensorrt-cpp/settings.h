// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include <optional>
#include <string>

#include "../plugin_settings.h"
#include "ngraphbench/compiler.h"

namespace ngb::tensorrt {

// Returns the JSON text of compiler.json.
const char* description();

struct Settings {
  std::string toolchain_dir{};
  std::string cache_dir{};
  std::string precision{};  // "f32", "f16", "bf16"
  int threads = 1;
  int builder_optimization_level = 3;
  std::size_t workspace_bytes = 0;  // 0: all that is free
  bool has_timing_cache = false;
  bool uses_graph = false;
  bool includes_transfer = false;
  std::string wait = "spin";  // for the GPU
  nlohmann::json flags{};     // of the builder, that the study hands on: an object
};

Settings read_settings(const ngb_settings& settings);

// Returns the builder's flag that permits a precision. There is none for f32, and none in some versions of TensorRT.
std::optional<nvinfer1::BuilderFlag> flag_of(const std::string& precision);
// Throws plugin::Failure(NGB_INVALID_OPTION) if library `version` has no flag for the precision.
void check_precision(const Settings& settings, const std::string& version);

}  // namespace ngb::tensorrt
