// SPDX-License-Identifier: Apache-2.0
// The versions that this build was made for: versions.json, compiled in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ngb::toolchain {

std::string default_version(std::string_view compiler);               // "" when it has none
std::vector<std::string> tested_versions(std::string_view compiler);  // oldest first; empty when it has none

// `requirement` with "{version}" and "{<wheel>}" filled in, the latter from the table "wheels" of versions.json.
// Error names a placeholder that nobody fills.
Result<std::string> fill_placeholders(std::string_view requirement, std::string_view version);

}  // namespace ngb::toolchain
