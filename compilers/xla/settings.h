// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../plugin_settings.h"
#include "ngraphbench/compiler.h"

namespace ngb::xla {

// Returns the JSON text of compiler.json.
const char* description();

struct Settings {
  std::string toolchain_dir{};
  int threads = 1;
  bool uses_xnnpack = false;
  nlohmann::json flags{};  // that the study hands on: an object
};

Settings read_settings(const ngb_settings& settings);

}  // namespace ngb::xla
