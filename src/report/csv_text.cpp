// SPDX-License-Identifier: Apache-2.0
#include "report/csv_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json_text.h"
#include "base/text.h"

namespace ngb::report {
namespace {

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char character : field) text += character == '"' ? std::string("\"\"") : std::string(1, character);
  return text + '"';
}

}  // namespace

std::string csv_text(const std::string& unchecked) {
  const std::string text = text::visible(unchecked);
  const bool is_formula = !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  return quoted(is_formula ? "'" + text : text);
}

std::string csv_field(const nlohmann::json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? csv_text(value.get<std::string>()) : quoted(json_text::dump(value));
}

std::string csv_field(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : std::string(); }

}  // namespace ngb::report
