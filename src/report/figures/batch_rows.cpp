// SPDX-License-Identifier: Apache-2.0
// The rows of the figures that show each cell: its speed over the batch size, and beside the others of its workload.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "report/figures/rows.h"
#include "report/figures/workloads.h"
#include "report/plain_text.h"

namespace ngb::report::figures {
namespace {

// Returns a row for each cell of which `is_shown` is true. The panels are models; devices are side by side.
template <class IsShown>
Rows metric_of_cells(const Selection& selection, const char* metric, const char* why_none, const IsShown& is_shown) {
  std::vector<Row> rows;
  for (const Place& place : selection.places()) {
    if (!is_shown(place)) continue;
    Row row = row_of(selection, place, plain(place.cell->model));
    add_number(row, metric, number_of(selection, place, metric), state_of(*place.cell));
    rows.push_back(std::move(row));
  }
  return rows_with(std::move(rows), metric, why_none);
}

// Leaves out the cells of one sample.
Rows metric_of_batching(const Selection& selection, const char* metric) {
  return metric_of_cells(selection, metric, "no compiler was measured at batch 1 and at a larger batch size",
                         [](const Place& place) { return place.cell->batch != 1; });
}

}  // namespace

Rows throughput_by_batch(const Selection& selection) {
  return metric_of_cells(selection, "throughput_per_s", "no cell has a speed", [](const Place&) { return true; });
}

Rows rtr_by_batch(const Selection& selection) { return metric_of_batching(selection, "rtr_ratio"); }

Rows ase_by_batch(const Selection& selection) { return metric_of_batching(selection, "ase_ratio"); }

Rows break_even(const Selection& selection) {
  const auto is_no_baseline = [&](const Place& place) {
    return selection.sources()[place.source].results->baseline_of(*place.cell) != place.cell;
  };
  return metric_of_cells(selection, "break_even_inferences", "no cell is told to be faster than its baseline",
                         is_no_baseline);
}

Rows ratio_to_best(const Selection& selection) {
  const Workloads workloads(selection);
  std::vector<Row> rows;
  for (const Place& place : selection.places()) {
    Row row = row_of(selection, place, fmt::format("batch {}", place.cell->batch));
    add_number(row, "ratio_to_best", workloads.ratio_to_best(place), state_of(*place.cell));
    rows.push_back(std::move(row));
  }
  if (!workloads.compare_something()) return {.why_none = "no workload has two cells with a speed"};
  return {.rows = std::move(rows)};
}

}  // namespace ngb::report::figures
