// SPDX-License-Identifier: Apache-2.0
// manifest.json: what makes a folder a toolchain. Written last, so that its presence means completeness.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {

// Over compiler, version, and name, version and wheel of each package.
std::string hash_of(const Toolchain& toolchain);

// The content of manifest.json.
std::string manifest_text(const Toolchain& toolchain);
// `folder`: where the toolchain stands. Error: it is none.
Result<Toolchain> parse_manifest(std::string_view text, const std::filesystem::path& folder);

Status write_manifest(const Toolchain& toolchain, const std::filesystem::path& folder);
Result<Toolchain> read_manifest(const std::filesystem::path& folder);

}  // namespace ngb::toolchain
