// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include <optional>
#include <string>

#include "ngraphbench/compiler.h"

namespace ngb::tensorrt {

// The JSON text of compiler.json.
const char* description();

struct Settings {
  std::string toolchain_dir{};
  std::string cache_dir{};
  std::string precision{};  // "f32", "f16", "bf16"
  int threads = 1;
  int builder_optimization_level = 3;
  std::size_t workspace_bytes = 0;  // 0: as much as there is
  bool has_timing_cache = false;
  bool uses_graph = false;
  bool includes_transfer = false;
};

// Throws plugin::Failure for what compiler.json does not allow.
Settings read_settings(const ngb_settings& settings);

// The flag of the builder that permits a precision; none for f32, and where this TensorRT has no such flag.
std::optional<nvinfer1::BuilderFlag> flag_of(const std::string& precision);
// Throws plugin::Failure(NGB_INVALID_OPTION) where it has none. `version`: of the library.
void check_precision(const Settings& settings, const std::string& version);

}  // namespace ngb::tensorrt
