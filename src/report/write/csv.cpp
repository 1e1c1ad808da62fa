// SPDX-License-Identifier: Apache-2.0
#include "report/write/csv.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
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
  if (value.is_string()) return csv_text(value.get_ref<const std::string&>());
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : quoted(json_text::dump(value));
}

std::string csv_header(std::span<const Column> columns) {
  std::string line;
  for (const Column& column : columns) {
    if (column.csv.empty()) continue;
    line += csv_text(column.csv) + ',';
    if (column.has_interval) line += fmt::format("{0}_low,{0}_high,", column.csv);
    if (column.has_reason) line += column.csv + "_unknown_reason,";
  }
  line.back() = '\r';
  return line + '\n';
}

std::string csv_line(std::span<const Column> columns, const Row& row) {
  std::string line;
  const auto add_end = [&line](const std::optional<double>& end) {
    if (end) fmt::format_to(std::back_inserter(line), "{}", *end);
    line += ',';
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    if (column.csv.empty()) continue;
    const Entry& entry = row.entries[i];
    line += csv_field(entry.value) + ',';
    if (column.has_interval) {
      add_end(entry.low);
      add_end(entry.high);
    }
    if (column.has_reason) line += csv_text(entry.reason) + ',';
  }
  line.back() = '\r';
  return line + '\n';
}

void print_csv(const Document& document, const Print& print) {
  print(csv_header(document.table.columns));
  for (const Section& section : document.table.sections) {
    section.each_row([&](const Row& row) { print(csv_line(document.table.columns, row)); });
  }
}

}  // namespace ngb::report
