// SPDX-License-Identifier: Apache-2.0
// Table II: the compilers, with their versions and settings.
#include <set>

#include "report/columns.h"
#include "report/tables/paper_tables.h"

namespace ngb::report::tables {

Table compilers(const Input& input) {
  Table table{.why_empty = "these results have no cells"};
  const auto properties = compiler_properties(input.results().cells);
  for (const work::Property* each : properties) table.columns.push_back({each->heading, each->heading, Kind::text});
  table.columns.push_back({"device", "device", Kind::text});
  std::set<std::vector<std::string>> seen;
  for (const store::CellData* cell : input.results().cells) {
    std::vector<std::string> fields;
    for (const work::Property* each : properties) fields.push_back(compiler_field(*each, *cell));
    fields.push_back(input.device(*cell));
    if (!seen.insert(fields).second) continue;
    Row row;
    for (const std::string& field : fields) row.entries.push_back(text_entry(field));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace ngb::report::tables
