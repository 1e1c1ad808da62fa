// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ngraphbench/compiler.h"

namespace ngb::onnxruntime {

// The JSON text of compiler.json.
const char* description();

struct Settings {
  std::string toolchain_dir{};
  int threads = 1;
  std::string graph_optimization{};
  bool is_spinning = true;
  std::string provider{};  // "cpu", "openvino"
  bool may_fall_back = false;
};

// Throws plugin::Failure for what compiler.json does not allow.
Settings read_settings(const ngb_settings& settings);

}  // namespace ngb::onnxruntime
