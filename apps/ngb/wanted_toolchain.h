// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "apps/ngb/command.h"

namespace ngb::app {

struct WantedToolchain {
  toolchain::CompilerDescription compiler{};
  std::string version{};  // the compiler's default if none was named
};

// Finds "onnxruntime@1.31.1" or "onnxruntime" in the catalogue, or a tool (toolchain/tools.h). Returns an error if
// there is no such compiler or it has no toolchains.
Result<WantedToolchain> find_wanted(const Installation& installation, const std::string& text);

}  // namespace ngb::app
