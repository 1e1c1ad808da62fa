// SPDX-License-Identifier: Apache-2.0
// Table II: the compilers, with their versions and settings.
#include "paper/tables/tables.h"
#include "report/columns.h"

namespace ngb::paper::tables {

Document compilers(const Input& input) {
  Document made{.why_empty = "these results have no cells"};
  const auto properties = report::compiler_properties(input.results().cells);
  for (const work::Property* each : properties)
    made.table.columns.push_back(column(each->heading, each->heading, Kind::text));
  made.table.columns.push_back(column("device", "device", Kind::text));
  const auto device = [&input](const store::CellData& cell) { return input.device(cell); };
  for (const std::vector<std::string>& fields :
       report::settings_of_compilers(input.results().cells, properties, device)) {
    Row row;
    for (const std::string& field : fields) row.entries.push_back(text_entry(field));
    add_row(made, std::move(row));
  }
  return made;
}

}  // namespace ngb::paper::tables
