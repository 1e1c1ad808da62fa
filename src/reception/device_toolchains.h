// SPDX-License-Identifier: Apache-2.0
// The toolchains of a device elsewhere: lists and inspects them, adopts packages that the device already has, and
// installs with the device's own pip. The client writes the manifests.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "samples/delivery_messages.h"

namespace ngb::reception {

// Returns the device's toolchains, sorted by name.
std::vector<samples::ToolchainFolder> toolchains_in(const std::filesystem::path& device_folder);

// Inspects one toolchain or folder of packages. A missing one has no site and no packages.
samples::Inspection inspect(const std::filesystem::path& device_folder, const samples::Inspect& inspected);

// Makes the toolchain's folder: a manifest, and a link `site` to the adopted folder, into which nothing is ever
// written. Returns an error if the toolchain exists or if the adopted folder does not.
Status adopt(const std::filesystem::path& device_folder, const samples::Adopt& adoption);

// Installs with `python3 -m pip`, which takes minutes, and keeps pip's output in <toolchain>.log. Ends pip and returns
// an error if it takes too long or if standard input (the client) is closed; if pip fails, the error quotes the end of
// its output.
Status install_there(const std::filesystem::path& device_folder, const samples::InstallThere& wanted);

}  // namespace ngb::reception
