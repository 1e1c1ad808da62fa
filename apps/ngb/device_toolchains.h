// SPDX-License-Identifier: Apache-2.0
// Where toolchains for devices elsewhere come from, and what a device tells of those that stand there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/ngb/command.h"
#include "dispatch/fleet.h"
#include "toolchain/elsewhere.h"
#include "toolchain/toolchain.h"

namespace ngb::app {

// "toolchains/onnxruntime/1.31.1": where it stands in a device's folder.
std::string tree_path(const std::string& compiler, const std::string& version);

enum class Way { deliver, deliver_ours, install_there };

// As a device's own. `local`: this machine's, when it may be given away. A device of this kind of machine (for
// compilers hosted by Python, with this version of Python, too) gets that; another one what `ngb toolchain fetch` gets
// for it (with deliver_ours: nothing). With install_there, its own pip installs what that would get.
dispatch::ToolchainTree toolchain_for_devices(const Installation& installation,
                                              const toolchain::CompilerDescription& compiler,
                                              const std::string& version,
                                              const std::optional<toolchain::Toolchain>& local, Way way);

// The packages that a device found in a folder.
std::vector<toolchain::Distribution> distributions(const samples::FoundFolder& found);

// What stands at `found.path`: as its manifest says, or, when it has none of its own, as the packages in it say. Error:
// the path is not that of a toolchain.
Result<toolchain::Toolchain> toolchain_there(const samples::FoundFolder& found);

}  // namespace ngb::app
