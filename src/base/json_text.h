// SPDX-License-Identifier: Apache-2.0
// Reads and writes JSON text. All code calls these functions and not the library's own `parse` and `dump`, because the
// library is header-only: each source that calls those compiles a parser and a writer of its own.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ngb::json_text {

// Returns the value that the text describes, or a discarded value (`is_discarded()`) if it is not JSON, or more than
// 512 levels of arrays and objects. `parse_ordered` keeps the order of members.
nlohmann::json parse(std::string_view text);
nlohmann::ordered_json parse_ordered(std::string_view text);
// Throws nlohmann::json::parse_error, which says what is wrong and where, if the text is not JSON, or
// too deep.
nlohmann::json parse_or_throw(std::string_view text);

// Returns the value as text: on one line, or with `indent` spaces for each level if that is not negative. Bytes that
// are not UTF-8 become U+FFFD.
std::string dump(const nlohmann::json& value, int indent = -1);
std::string dump(const nlohmann::ordered_json& value, int indent = -1);

// Like `dump`, with every character beyond ASCII escaped (\u00e9).
std::string dump_ascii(const nlohmann::json& value, int indent = -1);
std::string dump_ascii(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace ngb::json_text
