// SPDX-License-Identifier: Apache-2.0
// Writes fields of CSV as in RFC 4180.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace ngb::report {

// Returns a field's text, quoted if necessary. Control characters, which could command a terminal, are made visible.
std::string csv_text(const std::string& unchecked);

// Returns text as it is, numbers unrounded, a mapping as JSON text, and "" for null.
std::string csv_field(const nlohmann::json& value);
std::string csv_field(const std::optional<double>& value);

}  // namespace ngb::report
