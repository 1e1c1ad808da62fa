// SPDX-License-Identifier: Apache-2.0
// Table II: the compilers, with their versions and settings.
#include <set>

#include "paper/tables/tables.h"
#include "report/columns.h"

namespace ngb::paper::tables {

Document compilers(const Input& input) {
  Document made{.why_empty = "these results have no cells"};
  const auto properties = report::compiler_properties(input.results().cells);
  for (const work::Property* each : properties)
    made.table.columns.push_back(column(each->heading, each->heading, Kind::text));
  made.table.columns.push_back(column("device", "device", Kind::text));
  std::set<std::vector<std::string>> seen;
  for (const store::CellData* cell : input.results().cells) {
    std::vector<std::string> fields;
    for (const work::Property* each : properties) fields.push_back(report::compiler_field(*each, *cell));
    fields.push_back(input.device(*cell));
    if (!seen.insert(fields).second) continue;
    Row row;
    for (const std::string& field : fields) row.entries.push_back(text_entry(field));
    add_row(made, std::move(row));
  }
  return made;
}

}  // namespace ngb::paper::tables
