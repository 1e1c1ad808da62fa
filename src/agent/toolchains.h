// SPDX-License-Identifier: Apache-2.0
// The toolchains of a device elsewhere, as far as its own agent deals with them: what stands there, taking up what the
// device has already, and having its own pip install one. Manifests are the client's to write.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "samples/delivery.h"

namespace ngb::agent {

// Sorted by name.
std::vector<samples::ToolchainFolder> toolchains_in(const std::filesystem::path& device_folder);

// What is not there has no site and no packages.
samples::Inspection inspect(const std::filesystem::path& device_folder, const samples::Inspect& inspected);

// Makes the toolchain's folder: a manifest, and a link `site` to what is adopted. Nothing is ever written into that.
// Errors: there is such a toolchain already; nothing stands at the site.
Status adopt(const std::filesystem::path& device_folder, const samples::Adopt& adoption);

// With `python3 -m pip`; takes minutes. Ended when it takes too long, or when standard input (the client) is closed.
// What pip said is kept in <toolchain>.log. Errors: that; pip failed (the end of what it said).
Status install_there(const std::filesystem::path& device_folder, const samples::InstallThere& wanted);

}  // namespace ngb::agent
