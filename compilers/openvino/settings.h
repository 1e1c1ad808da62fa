// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../plugin_settings.h"
#include "ngraphbench/compiler.h"

namespace ngb::openvino {

// Returns the JSON text of compiler.json.
const char* description();

struct Settings {
  std::string toolchain_dir{};
  int threads = 1;
  std::string device{};     // OpenVINO's name: "CPU", "GPU", "NPU", "AUTO"
  std::string precision{};  // "f32", "bf16", "f16"
  std::string performance_hint{};
  bool has_cpu_pinning = false;
  int in_flight = 1;  // 0: OpenVINO chooses
  bool is_profiled = false;
  plugin::LibrarySettings properties{};  // that the study hands on
};

Settings read_settings(const ngb_settings& settings);

}  // namespace ngb::openvino
