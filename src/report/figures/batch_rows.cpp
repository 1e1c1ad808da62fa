// SPDX-License-Identifier: Apache-2.0
// The rows of the figures that show each cell: its speed over the batch size, and beside the others of its workload.
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "report/figures/rows.h"
#include "report/figures/series_rows.h"
#include "report/figures/workloads.h"

namespace ngb::report::figures {
namespace {

using store::CellData;

std::string panel_of_model(const CellData& cell) { return text::visible(cell.of.model.label); }

std::string panel_of_batch(const CellData& cell) { return fmt::format("batch {}", cell.of.model.key.batch); }

// Returns a row for each cell. Devices are side by side.
std::vector<Row> rows_of_cells(const Selection& selection, const Selected& selected) {
  std::vector<Row> rows;
  for (const CellData* cell : selection.cells()) {
    if (selected.where == "batch > 1" && cell->of.model.key.batch == 1) continue;
    if (selected.where == "raw_bytes" && !cell->of.model.raw_bytes) continue;
    Row row = row_of(selection, *cell, selected.panel == "batch" ? panel_of_batch(*cell) : panel_of_model(*cell));
    add_number(row, number_of(selection, *cell, selected.cells));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Rows select_rows(const Selection& selection, const Selected& selected) {
  if (!selected.cells.empty())
    return rows_with(rows_of_cells(selection, selected), selected.cells.c_str(), selected.why_none);
  return grid_with(rows_of_subjects(selection, selected.groups.c_str()), selected.groups.c_str(), selected.why_none,
                   selected.why_empty);
}

Rows break_even(const Selection& selection) {
  constexpr const char* kMetric = "break_even_inferences";
  std::vector<Row> rows;
  for (const CellData* cell : selection.cells()) {
    if (selection.results().baseline_of(*cell) == cell) continue;
    rows.push_back(row_of(selection, *cell, panel_of_model(*cell)));
    add_number(rows.back(), number_of(selection, *cell, kMetric));
  }
  Rows made = rows_with(std::move(rows), kMetric, "no cell is told to be faster than its baseline");
  std::set<std::string> all;
  std::set<std::string> paying;
  for (const Row& row : made.rows) {
    all.insert(row.at("panel").get<std::string>());
    if (row.at(kMetric).is_number()) paying.insert(row.at("panel").get<std::string>());
  }
  if (paying.size() == all.size()) return made;
  made.remark = fmt::format("{} of {} models are left out: compiling is told to pay for none of their cells",
                            all.size() - paying.size(), all.size());
  std::erase_if(made.rows, [&](const Row& row) { return !paying.contains(row.at("panel").get<std::string>()); });
  return made;
}

Rows ratio_to_best(const Selection& selection) {
  const Workloads workloads(selection);
  std::vector<Row> rows;
  for (const CellData* cell : selection.cells()) {
    Row row = row_of(selection, *cell, panel_of_batch(*cell));
    add_number(row, workloads.ratio_to_best(*cell));
    rows.push_back(std::move(row));
  }
  if (!workloads.compare_something()) return {.why_none = "no workload has two cells with a speed"};
  return {.rows = std::move(rows)};
}

}  // namespace ngb::report::figures
