// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"

namespace ngb::json_text {
namespace {

template <class Json>
std::string written(const Json& value, int indent, bool is_ascii) {
  return value.dump(indent, ' ', is_ascii, Json::error_handler_t::replace);
}

// Returns whether arrays and objects are nested so deeply that writing them, which recurses, could exhaust the stack.
bool is_too_deep(std::string_view text) {
  constexpr std::size_t kDeepest = 512;
  std::size_t depth = 0;
  bool is_in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char each = text[at];
    if (each == '"') is_in_string = !is_in_string;
    if (is_in_string) {
      if (each == '\\') ++at;
    } else if (each == '[' || each == '{') {
      if (++depth > kDeepest) return true;
    } else if ((each == ']' || each == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

template <class Json>
Json parsed(std::string_view text) {
  return is_too_deep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

}  // namespace

nlohmann::json parse_or_throw(std::string_view text) {
  if (!is_too_deep(text)) return nlohmann::json::parse(text);
  constexpr int kUnexpected = 101;  // the library's number of an error of syntax
  const nlohmann::json* const nowhere = nullptr;
  throw nlohmann::json::parse_error::create(kUnexpected, 0, "more than 512 levels of arrays and objects", nowhere);
}
nlohmann::json parse(std::string_view text) { return parsed<nlohmann::json>(text); }
nlohmann::ordered_json parse_ordered(std::string_view text) { return parsed<nlohmann::ordered_json>(text); }

std::string dump(const nlohmann::json& value, int indent) { return written(value, indent, false); }
std::string dump(const nlohmann::ordered_json& value, int indent) { return written(value, indent, false); }

std::string dump_ascii(const nlohmann::json& value, int indent) { return written(value, indent, true); }
std::string dump_ascii(const nlohmann::ordered_json& value, int indent) { return written(value, indent, true); }

}  // namespace ngb::json_text
