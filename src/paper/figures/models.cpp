// SPDX-License-Identifier: Apache-2.0
// The rows of the paper's figures of whole models: 5, 6, 8, 9 and 12.
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

// Sorts rows by a column of texts, in the order of their first mention.
void sort_by(const char* column, std::vector<Row>& rows) {
  std::map<std::string, std::size_t> texts;
  for (const Row& row : rows) texts.emplace(row.at(column).get<std::string>(), texts.size());
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return texts.at(a.at(column).get<std::string>()) < texts.at(b.at(column).get<std::string>());
  });
}

// Adds a row that says why for each panel of the grid that has none.
void fill_grid(std::vector<Row>& rows, const std::string& why) {
  std::vector<std::string> panels;
  std::vector<std::string> columns;
  std::set<std::pair<std::string, std::string>> known;
  for (const Row& row : rows) {
    const auto panel = row.at("panel").get<std::string>();
    const auto column = row.at("column").get<std::string>();
    if (std::find(panels.begin(), panels.end(), panel) == panels.end()) panels.push_back(panel);
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    known.emplace(panel, column);
  }
  for (const std::string& panel : panels) {
    for (const std::string& column : columns) {
      if (!known.contains({panel, column})) rows.push_back(empty_panel(panel, column, why));
    }
  }
}

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

// Returns a row for each number of a series of groups or styles: a row of panels for each place, a column for each
// subject.
std::vector<Row> by_place_and_subject(const Selection& selection, const char* series) {
  std::vector<Row> rows;
  for (const SeriesNumber& number : series_numbers(selection, series)) {
    const CellData& first = *number.cells.front();
    if (is_of_blocks(first)) continue;
    Row row = row_of(selection, first, place_in_figure(selection, first));
    row["column"] = text::visible(number.value->subject);
    row["models"] = number.cells.size();
    add_number(row, series, number_of(number), state_of(number));
    rows.push_back(std::move(row));
  }
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

Rows finished(const char* figure, std::vector<Row> rows, const char* number, const char* why_none,
              const std::string& why_empty) {
  if (!std::any_of(rows.begin(), rows.end(),
                   [&](const Row& row) { return row.contains(number) && row.at(number).is_number(); })) {
    return {.why_none = why_none};
  }
  fill_grid(rows, why_empty);
  sort_by("panel", rows);  // whose columns follow in the order of their first mention too
  return with_columns({.rows = std::move(rows)}, figure);
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
  return finished("figure5", std::move(rows), kMetric, "no compiler was measured beside a baseline on a whole model",
                  "no model of this size was measured");
}

Rows figure6(const Selection& selection) {
  constexpr const char* kSeries = "family_batch_speed_up_ratio";
  std::vector<Row> rows = by_place_and_subject(selection, kSeries);
  for (const PublishedNumber& number : published_numbers(selection)) {
    if (number.is_identity) continue;
    Row row = row_of(number, number.device, number.family);
    add_number(row, kSeries, {number.throughput_per_s / number.identity_per_s, {}, {}, ""}, {"published", ""});
    rows.push_back(std::move(row));
  }
  return finished("figure6", std::move(rows), kSeries, "no group of whole models has a speed-up",
                  "no model of this group was measured");
}

Rows figure8(const Selection& selection) {
  constexpr const char* kSeries = "style_batch_ase_ratio";
  return finished("figure8", by_place_and_subject(selection, kSeries), kSeries,
                  "no compiler was measured on a model with a style at batch 1 and at a larger batch size",
                  "no model of this style was measured");
}

Rows figure9(const Selection& selection) {
  constexpr const char* kMetric = "bsr_ratio";
  return finished("figure9",
                  by_size_and_family(selection, kMetric,
                                     [&](const CellData& cell) {
                                       return cell.of.model.key.batch != 1 &&
                                              selection.results().baseline_of(cell) != &cell;
                                     }),
                  kMetric, "no compiler was measured beside a baseline at batch 1 and at a larger batch size",
                  "no model of this size was measured");
}

Rows figure12(const Selection& selection) {
  constexpr const char* kUse = "CPU use (%)";
  constexpr const char* kReduction = "CPU reduction (%)";
  constexpr double kPercent = 100;
  const std::vector<Contrasted> contrasted = contrasted_compilers(selection);
  std::vector<Row> rows;
  for (const auto& [series, quantity, factor] : {std::tuple{"family_batch_cpu_percent", kUse, 1.0},
                                                 {"family_batch_cpu_reduction_ratio", kReduction, kPercent}}) {
    for (const SeriesNumber& each : series_numbers(selection, series)) {
      const CellData& first = *each.cells.front();
      const std::string place = place_in_figure(selection, first);
      if (is_of_blocks(first) || !is_contrasted(contrasted, place, selection.compiler(first))) continue;
      Row row = row_of(selection, first, fmt::format("{}, {}", quantity, place));
      row["column"] = text::visible(each.value->subject);
      row["place"] = place;
      row["quantity"] = quantity;
      Number number = number_of(each);
      for (auto* const part : {&number.value, &number.low, &number.high}) {
        if (*part) *part = **part * factor;
      }
      add_number(row, "percent", number, state_of(each));
      rows.push_back(std::move(row));
    }
  }
  for (const char* const quantity : {kUse, kReduction}) {
    for (const PublishedNumber& number : published_numbers(selection)) {
      if (!is_contrasted(number) || (quantity == kReduction && number.is_identity)) continue;
      Row row = row_of(number, fmt::format("{}, {}", quantity, number.device), number.family);
      row["place"] = number.device;
      row["quantity"] = quantity;
      const double use = number.cpu_percent;
      add_number(row, "percent",
                 quantity == kUse ? Number{use, use - number.cpu_std_percent, use + number.cpu_std_percent, ""}
                                  : Number{kPercent * (1 - use / number.identity_cpu_percent), {}, {}, ""},
                 {"published", ""});
      rows.push_back(std::move(row));
    }
  }
  sort_by("place", rows);
  return finished("figure12", std::move(rows), "percent", "no group of whole models has a known use of the processor",
                  "no model of this group was measured");
}

}  // namespace ngb::paper::figures
