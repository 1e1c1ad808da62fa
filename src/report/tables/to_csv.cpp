// SPDX-License-Identifier: Apache-2.0
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
    if (names_origin) csv += std::string(origin_of(row)) + ',';
    csv += spreadsheet_field(notes_of(table, row)) + "\r\n";
  }
  return csv;
}

}  // namespace ngb::report::tables
