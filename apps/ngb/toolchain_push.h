// SPDX-License-Identifier: Apache-2.0
// The part of `ngb toolchain` that is about devices elsewhere.
#pragma once

#include <string>

#include "apps/ngb/command.h"

namespace ngb::app {

void add_toolchain_push(CLI::App& group, const Installation& installation, Action& chosen);
void add_toolchain_fetch(CLI::App& group, const Installation& installation, Action& chosen);

// Returns an ExitCode.
int adopt_on_device(const Installation& installation, const std::string& name, const std::string& path,
                    const std::string& device);

}  // namespace ngb::app
