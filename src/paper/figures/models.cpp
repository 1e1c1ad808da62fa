// SPDX-License-Identifier: Apache-2.0
// The rows of the paper's figures of whole models: 5 and 9.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "metrics/series/workload.h"
#include "paper/figures/published_rows.h"
#include "paper/figures/rows.h"

namespace ngb::paper::figures {
namespace {

using metrics::series::is_of_blocks;
using store::CellData;

std::string group_shown(const CellData& cell) { return text::visible(metrics::series::model_group_of(cell)); }

// Returns the rank of a model's size in its group: the study's, else by its number of parameters among the group's.
std::map<std::string, int> ranks_of_sizes(const Selection& selection) {
  std::map<std::string, std::map<std::uint64_t, std::string>> by_group;  // parameters -> model
  for (const CellData* cell : selection.cells()) {
    by_group[group_shown(*cell)].emplace(cell->of.model.parameters.value_or(0), cell->of.model.key.hash);
  }
  std::map<std::string, int> ranks;
  for (const auto& [group, models] : by_group) {
    int rank = 0;
    for (const auto& [parameters, model] : models) ranks.emplace(model, ++rank);
  }
  for (const CellData* cell : selection.cells()) {
    if (cell->of.model.size) ranks[cell->of.model.key.hash] = *cell->of.model.size;
  }
  return ranks;
}

// Returns a row for each cell of a whole model that `is_shown`: a row of panels for each place and size, a column for
// each group.
template <class IsShown>
std::vector<Row> by_size_and_family(const Selection& selection, const char* metric, const IsShown& is_shown) {
  const std::map<std::string, int> ranks = ranks_of_sizes(selection);
  std::map<int, std::vector<Row>> by_rank;
  for (const CellData* cell : selection.cells()) {
    if (is_of_blocks(*cell) || !is_shown(*cell)) continue;
    const auto known = ranks.find(cell->of.model.key.hash);
    const int rank = known == ranks.end() ? 1 : known->second;
    Row row = row_of(selection, *cell, fmt::format("size {}, {}", rank, place_in_figure(selection, *cell)));
    row["column"] = group_shown(*cell);
    add_number(row, metric, number_of(selection, *cell, metric), state_of(*cell));
    by_rank[rank].push_back(std::move(row));
  }
  std::vector<Row> rows;
  for (auto& [rank, of_rank] : by_rank) std::move(of_rank.begin(), of_rank.end(), std::back_inserter(rows));
  return rows;
}

bool is_contrasted(const std::vector<Contrasted>& contrasted, const std::string& place, const std::string& compiler) {
  return std::any_of(contrasted.begin(), contrasted.end(), [&](const Contrasted& each) {
    return each.place == place && (each.vendor == compiler || each.baseline == compiler);
  });
}

// Table VI's vendor compilers, beside Identity.
bool is_contrasted(const PublishedNumber& number) {
  return number.is_identity || number.compiler == published_compiler("TensorRT") ||
         number.compiler == published_compiler("OpenVINO");
}

}  // namespace

Rows figure5(const Selection& selection) {
  constexpr const char* kMetric = "throughput_per_s";
  const std::vector<Contrasted> contrasted = contrasted_compilers(selection);
  std::vector<Row> rows = by_size_and_family(selection, kMetric, [&](const CellData& cell) {
    return is_contrasted(contrasted, place_in_figure(selection, cell), selection.compiler(cell));
  });
  for (const PublishedNumber& number : published_numbers(selection)) {
    if (!is_contrasted(number)) continue;
    Row row = row_of(number, "mean of sizes, " + number.device, number.family);
    const double value = number.throughput_per_s;
    add_number(row, kMetric, {value, value - number.throughput_std_per_s, value + number.throughput_std_per_s, ""},
               {"published", ""});
    rows.push_back(std::move(row));
  }
  return grid_with(std::move(rows), kMetric, "no compiler was measured beside a baseline on a whole model",
                   "no model of this size was measured");
}

Rows figure9(const Selection& selection) {
  constexpr const char* kMetric = "bsr_ratio";
  return grid_with(by_size_and_family(selection, kMetric,
                                      [&](const CellData& cell) {
                                        return cell.of.model.key.batch != 1 &&
                                               selection.results().baseline_of(cell) != &cell;
                                      }),
                   kMetric, "no compiler was measured beside a baseline at batch 1 and at a larger batch size",
                   "no model of this size was measured");
}

}  // namespace ngb::paper::figures
