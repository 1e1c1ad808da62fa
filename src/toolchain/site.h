// SPDX-License-Identifier: Apache-2.0
// A folder of installed Python packages, as pip lays it out: modules, and one <name>-<version>.dist-info each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace ngb::toolchain::site {

// The dist-info folder of a package (normalised name); empty when it is not there.
std::filesystem::path dist_info(const std::filesystem::path& site, std::string_view name);

// What the package's files take, after its RECORD.
std::uint64_t installed_bytes(const std::filesystem::path& site, std::string_view name);

// Deletes the package's files, after its RECORD.
Status remove_package(const std::filesystem::path& site, std::string_view name);

// Moves everything in `from` into `into` (same file system). Folders of one name are merged (packages share namespaces
// such as nvidia/), files replaced. pip itself would replace such folders.
Status merge(const std::filesystem::path& from, const std::filesystem::path& into);

}  // namespace ngb::toolchain::site
