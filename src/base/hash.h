// SPDX-License-Identifier: Apache-2.0
// SHA-256, as lower-case hexadecimal text of 64 characters.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ngb::hash {

std::string sha256(std::string_view bytes);
Result<std::string> sha256_of_file(const std::filesystem::path& path);

}  // namespace ngb::hash
