// SPDX-License-Identifier: Apache-2.0
#include "report/tables/formats.h"
#include "report/write/csv.h"

namespace ngb::report::tables {

std::string to_csv(const Table& table) {
  const bool names_origin = has_published_rows(table);
  std::string csv;
  for (const Column& column : table.columns) csv += csv_text(column.name) + ',';
  csv += names_origin ? "origin,notes\r\n" : "notes\r\n";
  for (const Row& row : table.rows) {
    for (const Entry& entry : row.entries) {
      csv += csv_field(entry.value) + ',';
    }
    if (names_origin) csv += std::string(origin_of(row)) + ',';
    csv += csv_text(notes_of(table, row)) + "\r\n";
  }
  return csv;
}

}  // namespace ngb::report::tables
