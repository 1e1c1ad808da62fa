// SPDX-License-Identifier: Apache-2.0
// Reads and writes manifest.json, which makes a folder a toolchain. It is written last, so such a folder is whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {

// Returns the hash over the compiler, its version, name, version and wheel of each package, and what has changed since.
std::string hash_of(const Toolchain& toolchain);

// Returns the content of manifest.json.
std::string manifest_text(const Toolchain& toolchain);
// Parses the manifest of the toolchain in `folder`. Fails if the text is not a manifest.
Result<Toolchain> parse_manifest(std::string_view text, const std::filesystem::path& folder);

Status write_manifest(const Toolchain& toolchain, const std::filesystem::path& folder);
Result<Toolchain> read_manifest(const std::filesystem::path& folder);

}  // namespace ngb::toolchain
