// SPDX-License-Identifier: Apache-2.0
// The rows of the figures of groups of models and of their styles, at each batch size.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "metrics/series/series.h"
#include "report/figures/rows.h"
#include "report/figures/series_rows.h"

namespace ngb::report::figures {

using store::CellData;

namespace {

// Returns the deviations that belong to the numbers of a series, by the ids of their cells.
std::map<std::vector<std::string>, double> deviations_of(const Selection& selection, const char* series) {
  std::map<std::vector<std::string>, double> deviations;
  const char* const name = metrics::series::find_series(series)->deviation;
  if (name == nullptr) return deviations;
  for (const SeriesNumber& each : series_numbers(selection, name)) {
    if (each.value->value) deviations[each.value->cell_ids] = *each.value->value;
  }
  return deviations;
}

}  // namespace

std::vector<Row> rows_of_subjects(const Selection& selection, const char* series) {
  const auto deviations = deviations_of(selection, series);
  std::vector<Row> rows;
  for (const SeriesNumber& each : series_numbers(selection, series)) {
    const CellData& first = *each.cells.front();
    Row row = row_of(selection, first, place_in_figure(selection, first));
    row["place"] = row["panel"];
    row["column"] = text::visible(each.value->subject);
    row["models"] = each.cells.size();
    Number number = number_of(each);
    const auto deviation = deviations.find(each.value->cell_ids);
    if (number.value && deviation != deviations.end()) {
      number.low = *number.value - deviation->second;
      number.high = *number.value + deviation->second;
    }
    add_number(row, number);
    rows.push_back(std::move(row));
  }
  selection.add_published(series, rows);
  return rows;
}

namespace {

// Adds rows of a series as a percentage: one row of panels of this quantity for each place.
void add_percentages(const Selection& selection, const char* series, const char* quantity, double factor,
                     std::vector<Row>& all) {
  for (Row& row : rows_of_subjects(selection, series)) {
    row["panel"] = std::string(quantity) + ", " + row.at("place").get<std::string>();
    row["quantity"] = quantity;
    row["percent"] = row.at(series);
    for (const char* const part : {"percent", "low", "high"}) {
      if (row.at(part).is_number()) row[part] = factor * row.at(part).get<double>();
    }
    all.push_back(std::move(row));
  }
}

}  // namespace

Rows cpu_use(const Selection& selection) {
  constexpr double kPercent = 100;
  std::vector<Row> rows;
  add_percentages(selection, "model_group_batch_cpu_percent", "CPU use (%)", 1, rows);
  add_percentages(selection, "model_group_batch_cpu_reduction_ratio", "CPU reduction (%)", kPercent, rows);
  sort_by("place", rows);
  return grid_with(std::move(rows), "percent", "no group of models has a known use of the processor",
                   "no model of this group was measured");
}

}  // namespace ngb::report::figures
