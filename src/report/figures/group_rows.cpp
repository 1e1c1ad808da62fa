// SPDX-License-Identifier: Apache-2.0
// The rows of the figures of groups of models and of their styles, within groups of batch sizes.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "report/figures/rows.h"
#include "report/figures/series_rows.h"

namespace ngb::report::figures {
namespace {

using store::CellData;

constexpr const char* kNoGroups = "no group of models has this number";

// Returns {"panel", "device", "model_group", "model_style", "batch_sizes", "first_batch", "compiler"}.
Row row_of_group(const Selection& selection, const SeriesNumber& number) {
  const CellData& first = *number.cells.front();
  const auto least = std::min_element(
      number.cells.begin(), number.cells.end(),
      [](const CellData* a, const CellData* b) { return a->of.model.key.batch < b->of.model.key.batch; });
  const std::string group = text::visible(number.value->subject);
  return {{"panel", group},
          {"device", selection.device(first)},
          {"model_group", group},
          {"model_style", text::visible(first.of.model.style)},
          {"batch_sizes", text::visible(number.value->batch_sizes)},
          {"first_batch", (*least)->of.model.key.batch},
          {"compiler", selection.compiler(first)}};
}

// The order of the rows is that of the figure's axis.
void sort_by_batch(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.at("first_batch").get<int>() < b.at("first_batch").get<int>();
  });
}

Rows rows_of_groups(const Selection& selection, const char* series) {
  std::vector<Row> rows;
  for (const SeriesNumber& number : series_numbers(selection, series)) {
    Row row = row_of_group(selection, number);
    add_number(row, number_of(number));
    rows.push_back(std::move(row));
  }
  selection.add_published(series, rows);
  sort_by_batch(rows);
  return rows_with(std::move(rows), series, kNoGroups);
}

}  // namespace

Rows speed_up_by_family(const Selection& selection) { return rows_of_groups(selection, "family_speed_up_ratio"); }

Rows cpu_relief(const Selection& selection) { return rows_of_groups(selection, "family_cpu_reduction_ratio"); }

Rows cpu_use(const Selection& selection) {
  constexpr const char* kMean = "family_cpu_percent";
  std::map<std::vector<std::string>, double> deviation_of;  // by the ids of the cells
  for (const SeriesNumber& each : series_numbers(selection, "family_cpu_std_percent")) {
    if (each.value->value) deviation_of[each.value->cell_ids] = *each.value->value;
  }
  std::vector<Row> rows;
  for (const SeriesNumber& mean : series_numbers(selection, kMean)) {
    Row row = row_of_group(selection, mean);
    Number number = number_of(mean);
    const auto deviation = deviation_of.find(mean.value->cell_ids);
    if (number.value && deviation != deviation_of.end()) {
      number.low = *number.value - deviation->second;
      number.high = *number.value + deviation->second;
    }
    add_number(row, number);
    rows.push_back(std::move(row));
  }
  selection.add_published(kMean, rows);
  sort_by_batch(rows);
  return rows_with(std::move(rows), kMean, kNoGroups);
}

Rows speed_up_by_style(const Selection& selection) {
  constexpr const char* kSeries = "style_batch_speed_up_ratio";
  std::vector<Row> rows;
  for (const SeriesNumber& number : series_numbers(selection, kSeries)) {
    const CellData& first = *number.cells.front();
    const std::string style = text::visible(number.value->subject);
    Row row{{"panel", style},
            {"device", selection.device(first)},
            {"model_style", style},
            {"batch", first.of.model.key.batch},
            {"compiler", selection.compiler(first)}};
    add_number(row, number_of(number));
    rows.push_back(std::move(row));
  }
  return rows_with(std::move(rows), kSeries, "no model with a style has a speed-up");
}

}  // namespace ngb::report::figures
