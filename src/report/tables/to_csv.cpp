// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "report/csv_text.h"
#include "report/plain_text.h"
#include "report/tables/formats.h"

namespace ngb::report::tables {
namespace {

// Returns a field that no spreadsheet computes.
std::string spreadsheet_field(const std::string& given) {
  const std::string text = plain(given);
  const bool is_formula = !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  return csv_text(is_formula ? "'" + text : text);
}

std::string notes_of(const Table& table, const Row& row) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < row.entries.size(); ++i) {
    const Entry& entry = row.entries[i];
    const std::string& column = table.columns[i].name;
    if (entry.is_empty() && !entry.reason.empty()) all.push_back(fmt::format("{}: {}", column, entry.reason));
    for (const std::string& note : entry.notes) all.push_back(fmt::format("{}: {}", column, note));
  }
  return text::join(all, "; ");
}

}  // namespace

std::string to_csv(const Table& table) {
  const bool names_origin = has_published_rows(table);
  std::string csv;
  for (const Column& column : table.columns) csv += spreadsheet_field(column.name) + ',';
  csv += names_origin ? "origin,notes\r\n" : "notes\r\n";
  for (const Row& row : table.rows) {
    for (const Entry& entry : row.entries) {
      csv += (entry.number ? csv_field(entry.number) : spreadsheet_field(entry.text)) + ',';
    }
    if (names_origin) csv += row.is_published ? "published," : "measured,";
    csv += spreadsheet_field(notes_of(table, row)) + "\r\n";
  }
  return csv;
}

}  // namespace ngb::report::tables
