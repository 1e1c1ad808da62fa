// SPDX-License-Identifier: Apache-2.0
// Decides where toolchains for devices elsewhere come from, and reads what a device reports about those it has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "campaign/installation.h"
#include "dispatch/fleet.h"
#include "toolchain/elsewhere.h"
#include "toolchain/toolchain.h"

namespace ngb::campaign {

// Returns a toolchain's path in a device's folder: "toolchains/onnxruntime/1.31.1".
std::string tree_path(const std::string& compiler, const std::string& version);

enum class Way { deliver, deliver_ours, install_there };

// Returns how devices get this toolchain. A device with the same kind of machine as this one (and, for compilers hosted
// by Python, the same version of Python) gets `local`, this machine's toolchain, unless it was adopted or its files
// have changed since it was installed. Another device gets what `ngb toolchain download` downloads for it; with
// deliver_ours it gets nothing. With install_there the device's own pip installs what would be downloaded.
dispatch::ToolchainTree toolchain_for_devices(const Installation& installation,
                                              const toolchain::CompilerDescription& compiler,
                                              const std::string& version,
                                              const std::optional<toolchain::Toolchain>& local, Way way);

// Returns the packages that a device found in a folder.
std::vector<toolchain::Distribution> distributions(const samples::FoundFolder& found);

// Returns the toolchain at `found.path`, from its manifest or, if it has none, from its packages. Returns an error if
// the path is not a toolchain's.
Result<toolchain::Toolchain> toolchain_there(const samples::FoundFolder& found);

}  // namespace ngb::campaign
