// SPDX-License-Identifier: Apache-2.0
// Table II: the compilers, with their versions and settings.
#include <set>

#include "report/tables/paper_tables.h"
#include "report/words.h"

namespace ngb::report::tables {

Table compilers(const Input& input) {
  Table table{.why_empty = "these results have no cells"};
  for (const char* const name : {"compiler", "label", "version", "options", "threads", "precision", "device"}) {
    table.columns.push_back({name, name, Kind::text});
  }
  std::set<std::vector<std::string>> seen;
  for (const store::CellData* cell : input.results().cells) {
    const std::vector<std::string> fields{
        cell->of.compiler.name,    cell->of.compiler.label,
        cell->of.compiler.version, cell->of.compiler.options.empty() ? "" : work::text_of(cell->of.compiler.options),
        threads_of(*cell),         cell->of.compiler.precision,
        input.device(*cell)};
    if (!seen.insert(fields).second) continue;
    Row row;
    for (const std::string& field : fields) row.entries.push_back(text_entry(field));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace ngb::report::tables
