// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"

namespace ngb::json_text {
namespace {

template <class Json>
std::string written(const Json& value, int indent, bool is_ascii) {
  return value.dump(indent, ' ', is_ascii, Json::error_handler_t::replace);
}

}  // namespace

nlohmann::json parse_or_throw(std::string_view text) { return nlohmann::json::parse(text); }
nlohmann::json parse(std::string_view text) { return nlohmann::json::parse(text, nullptr, false); }
nlohmann::ordered_json parse_ordered(std::string_view text) {
  return nlohmann::ordered_json::parse(text, nullptr, false);
}

std::string dump(const nlohmann::json& value, int indent) { return written(value, indent, false); }
std::string dump(const nlohmann::ordered_json& value, int indent) { return written(value, indent, false); }

std::string dump_ascii(const nlohmann::json& value, int indent) { return written(value, indent, true); }
std::string dump_ascii(const nlohmann::ordered_json& value, int indent) { return written(value, indent, true); }

}  // namespace ngb::json_text
