// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ngraphbench/compiler.h"

namespace ngb::executorch {

// Returns the JSON text of compiler.json.
const char* description();

struct Settings {
  std::string toolchain_dir{};
  int threads = 1;
  bool has_xnnpack = true;
  bool is_profiled = false;
};

Settings read_settings(const ngb_settings& settings);

}  // namespace ngb::executorch
