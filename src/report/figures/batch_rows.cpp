// SPDX-License-Identifier: Apache-2.0
// The rows of the figures that show each cell: its speed over the batch size, and beside the others of its workload.
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "report/figures/rows.h"
#include "report/figures/workloads.h"

namespace ngb::report::figures {
namespace {

using store::CellData;

std::string panel_of_model(const CellData& cell) { return text::visible(cell.of.model.label); }

std::string panel_of_batch(const CellData& cell) { return fmt::format("batch {}", cell.of.model.key.batch); }

// Returns a row for each cell of which `is_shown` is true. Devices are side by side.
template <class IsShown, class PanelOf>
Rows metric_of_cells(const Selection& selection, const char* metric, const char* why_none, const IsShown& is_shown,
                     const PanelOf& panel_of) {
  std::vector<Row> rows;
  for (const CellData* cell : selection.cells()) {
    if (!is_shown(*cell)) continue;
    Row row = row_of(selection, *cell, panel_of(*cell));
    add_number(row, number_of(selection, *cell, metric));
    rows.push_back(std::move(row));
  }
  return rows_with(std::move(rows), metric, why_none);
}

}  // namespace

Rows throughput_by_batch(const Selection& selection) {
  return metric_of_cells(
      selection, "throughput_per_s", "no cell has a speed", [](const CellData&) { return true; }, panel_of_model);
}

Rows tcr_by_model(const Selection& selection) {
  return metric_of_cells(
      selection, "tcr_bits_per_s", "the study gives no model raw_bytes and encoded_bytes",
      [](const CellData& cell) { return cell.of.model.raw_bytes.has_value(); }, panel_of_batch);
}

Rows ase_by_batch(const Selection& selection) {
  return metric_of_cells(
      selection, "ase_ratio", "no compiler was measured at batch 1 and at a larger batch size",
      [](const CellData& cell) { return cell.of.model.key.batch != 1; }, panel_of_model);
}

Rows break_even(const Selection& selection) {
  const auto is_no_baseline = [&](const CellData& cell) { return selection.results().baseline_of(cell) != &cell; };
  constexpr const char* kMetric = "break_even_inferences";
  Rows made = metric_of_cells(selection, kMetric, "no cell is told to be faster than its baseline", is_no_baseline,
                              panel_of_model);
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
