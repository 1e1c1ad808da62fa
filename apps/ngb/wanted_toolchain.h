// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "apps/ngb/command.h"

namespace ngb::app {

struct WantedToolchain {
  toolchain::CompilerDescription compiler{};
  std::string version{};  // the compiler's default, when none was named
};

// "onnxruntime@1.31.1" or "onnxruntime", against the catalogue. Error: no such compiler, or one without toolchains.
Result<WantedToolchain> find_wanted(const Installation& installation, const std::string& text);

}  // namespace ngb::app
