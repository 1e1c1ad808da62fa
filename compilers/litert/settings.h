// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ngraphbench/compiler.h"

namespace ngb::litert {

// Returns the JSON text of compiler.json.
const char* description();

struct Settings {
  std::string toolchain_dir{};
  int threads = 1;
  bool has_delegate = true;
};

Settings read_settings(const ngb_settings& settings);

}  // namespace ngb::litert
