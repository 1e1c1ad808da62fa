// SPDX-License-Identifier: Apache-2.0
// The rows of the paper's figures of stacks of blocks: 10 and 11.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "metrics/series/workload.h"
#include "paper/figures/rows.h"

namespace ngb::paper::figures {
namespace {

using metrics::series::Block;
using metrics::series::block_of;
using store::CellData;

struct KindOfBlock {
  const char* family;
  const char* words;  // "convolution"
};
constexpr std::array kKinds{KindOfBlock{"conv_block", "convolution"}, KindOfBlock{"mha_block", "attention"}};

std::string not_measured(const KindOfBlock& kind) { return fmt::format("no stack of {} was measured", kind.family); }

// Returns a row of this kind of block with width and depth.
Row row_of_block(const Selection& selection, const CellData& cell, const Block& block, std::string panel,
                 std::string column) {
  Row row = row_of(selection, cell, std::move(panel));
  row["column"] = std::move(column);
  row["width"] = block.width ? Row(*block.width) : Row(nullptr);
  row["depth"] = block.depth;
  return row;
}

// Calls `use(cell, block)` for each cell of a stack of this kind that has a width.
template <class Use>
void each_block(const Selection& selection, const KindOfBlock& kind, const Use& use) {
  for (const CellData* cell : selection.cells()) {
    if (cell->of.model.family != kind.family) continue;
    const auto block = block_of(*cell);
    if (block && block->width) use(*cell, *block);
  }
}

// Adds rows that say why their panels are empty, in the first column.
void add_empty(std::vector<Row> empty, std::vector<Row>& rows) {
  for (Row& row : empty) {
    if (!rows.empty()) row["column"] = rows.front().at("column");
    rows.push_back(std::move(row));
  }
}

// Returns up to three of the depths: the smallest, the middle and the largest.
std::vector<int> three_of(const std::vector<int>& depths) {
  if (depths.size() <= 3) return depths;
  return {depths.front(), depths[(depths.size() - 1) / 2], depths.back()};
}

}  // namespace

Rows figure10(const Selection& selection) {
  constexpr const char* kMetric = "ase_ratio";
  std::vector<Row> rows;
  std::vector<Row> empty;
  for (const KindOfBlock& kind : kKinds) {
    const Stacks stacks = stacks_of(selection, kind.family);
    const std::size_t before = rows.size();
    each_block(selection, kind, [&](const CellData& cell, const Block& block) {
      if (block.depth != stacks.depths.front()) return;
      Row row = row_of_block(selection, cell, block,
                             fmt::format("{}, depth {}, {}", kind.words, block.depth, place_in_figure(selection, cell)),
                             selection.compiler(cell));
      add_number(row, kMetric, number_of(selection, cell, kMetric), state_of(cell));
      rows.push_back(std::move(row));
    });
    if (rows.size() == before) empty.push_back(empty_panel(kind.words, "", not_measured(kind)));
  }
  add_empty(std::move(empty), rows);
  return rows_with(std::move(rows), kMetric, "no stack of blocks was measured at batch 1 and at a larger batch size");
}

Rows figure11(const Selection& selection) {
  constexpr const char* kMetric = "bsr_ratio";
  std::vector<Row> rows;
  std::vector<Row> empty;
  for (const KindOfBlock& kind : kKinds) {
    const std::vector<int> depths = three_of(stacks_of(selection, kind.family).depths);
    std::vector<Row> of_kind;
    each_block(selection, kind, [&](const CellData& cell, const Block& block) {
      if (cell.of.model.key.batch == 1 || selection.results().baseline_of(cell) == &cell) return;
      if (std::find(depths.begin(), depths.end(), block.depth) == depths.end()) return;
      Row row =
          row_of_block(selection, cell, block,
                       fmt::format("{}, width {}, {}", kind.words, *block.width, place_in_figure(selection, cell)),
                       fmt::format("depth {}", block.depth));
      add_number(row, kMetric, number_of(selection, cell, kMetric), state_of(cell));
      of_kind.push_back(std::move(row));
    });
    sort_by_numbers({"width", "depth", "batch"}, of_kind);
    if (of_kind.empty()) empty.push_back(empty_panel(kind.words, "", not_measured(kind)));
    std::move(of_kind.begin(), of_kind.end(), std::back_inserter(rows));
  }
  add_empty(std::move(empty), rows);
  return rows_with(std::move(rows), kMetric,
                   "no stack of blocks was measured beside a baseline at batch 1 and at a larger batch size");
}

}  // namespace ngb::paper::figures
