// SPDX-License-Identifier: Apache-2.0
// The rows of the figures of stacks of blocks: speed-up over depth by width, and what width costs batching.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "metrics/series/workload.h"
#include "report/figures/rows.h"
#include "report/figures/series_rows.h"

namespace ngb::report::figures {

using metrics::series::block_of;

// The panels are batch sizes; kinds and widths of blocks are side by side.
Rows speed_up_by_depth(const Selection& selection) {
  constexpr const char* kMetric = "speed_up_ratio";
  std::map<std::string, std::vector<Row>> by_kind;
  for (const store::CellData* cell : selection.cells()) {
    const auto block = block_of(*cell);
    if (!block || selection.results().baseline_of(*cell) == cell) continue;
    Row row = row_of(selection, *cell, selection.with_device(fmt::format("batch {}", cell->of.model.key.batch), *cell));
    row["block"] = text::visible(block->name);
    row["width"] = or_null(block->width);
    row["depth"] = block->depth;
    add_number(row, number_of(selection, *cell, kMetric));
    by_kind[block->name_sans_width].push_back(std::move(row));
  }
  std::vector<Row> rows;
  for (auto& [kind, of_kind] : by_kind) {
    sort_by_numbers({"width", "depth"}, of_kind);  // the order of the columns
    std::move(of_kind.begin(), of_kind.end(), std::back_inserter(rows));
  }
  return rows_with(std::move(rows), kMetric, "no stack of blocks has a speed-up");
}

Rows batch_width_friction(const Selection& selection) {
  constexpr const char* kSeries = "batch_width_friction_ratio";
  std::vector<Row> rows;
  for (const SeriesNumber& friction : series_numbers(selection, kSeries)) {
    const store::CellData& narrow = *friction.cells.front();
    const auto block = block_of(narrow);
    const auto wide = block_of(*friction.cells.back());
    if (!block || !wide || !block->width || !wide->width) continue;
    const std::string name = text::visible(block->name_sans_width);
    const std::string stack = fmt::format("{}, depth {}", name, block->depth);
    Row row = row_of(selection, narrow, selection.with_device(stack, narrow));
    row["model"] = name;
    row["narrow_width"] = or_null(block->width);
    row["width"] = or_null(wide->width);
    row["depth"] = block->depth;
    add_number(row, number_of(friction));
    rows.push_back(std::move(row));
  }
  sort_by_numbers({"width", "depth"}, rows);
  return rows_with(std::move(rows), kSeries, "no stack of blocks was measured with two widths at several batch sizes");
}

}  // namespace ngb::report::figures
