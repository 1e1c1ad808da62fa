// SPDX-License-Identifier: Apache-2.0
// Writes JSON for programs to read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ngb::report {

// Returns indented JSON that ends in a line break. All control characters (C0, DEL, C1) in strings are written as JSON
// escapes; bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& json);

}  // namespace ngb::report
