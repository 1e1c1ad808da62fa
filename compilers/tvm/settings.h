// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "../plugin_settings.h"
#include "ngraphbench/compiler.h"

namespace ngb::tvm {

// Returns the JSON text of compiler.json.
const char* description();

struct Settings {
  std::string toolchain_dir{};
  std::string cache_dir{};
  bool is_on_gpu = false;
  std::string wait = "spin";  // for the GPU
  int threads = 1;
  bool is_profiled = false;
  std::int64_t trials = 0;
  std::int64_t early_stop = 0;
  std::int64_t seed = 0;
  std::string frontend = "onnx";
  nlohmann::json pass_configuration{};  // that the study hands on: an object
};

Settings read_settings(const ngb_settings& settings);

}  // namespace ngb::tvm
