// SPDX-License-Identifier: Apache-2.0
// Adds the commands of `ngb toolchain` for devices elsewhere.
#pragma once

#include <string>

#include "apps/ngb/command.h"

namespace ngb::app {

void add_toolchain_push(CLI::App& group, const Installation& installation, Action& chosen);
void add_toolchain_download(CLI::App& group, const Installation& installation, Action& chosen);

// Adopts the packages at `path` on a device as a toolchain. Returns an ExitCode.
int adopt_on_device(const Installation& installation, const std::string& name, const std::string& path,
                    const std::string& device);

}  // namespace ngb::app
