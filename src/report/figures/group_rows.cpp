// SPDX-License-Identifier: Apache-2.0
// The rows of the figures of groups of models and of their styles, within groups of batch sizes.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "metrics/series/workload.h"
#include "report/figures/published_rows.h"
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

Rows rows_of_groups(const Selection& selection, const char* series, PublishedQuantity published) {
  std::vector<Row> rows;
  for (const SeriesNumber& number : series_numbers(selection, series)) {
    Row row = row_of_group(selection, number);
    add_number(row, series, number_of(number), state_of(number));
    rows.push_back(std::move(row));
  }
  add_published_groups(selection, rows, published, series);
  sort_by_batch(rows);
  return rows_with(std::move(rows), series, kNoGroups);
}

// The speed-ups of the groups of one style.
struct OfStyle {
  const SeriesNumber* first = nullptr;
  int groups = 0;
  double sum_of_logs = 0;
  double squares_of_distances = 0;  // of the ends of the intervals from the values, by logarithms
  bool have_intervals = true;
  State missing{"measured", ""};  // of the first group without a number
  std::string reason{};           // why that group has no number
};

void add(OfStyle& style, const SeriesNumber& group) {
  const Number number = number_of(group);
  ++style.groups;
  if (!number.value) {
    if (!style.reason.empty()) return;
    style.missing = state_of(group);
    style.reason = text::visible(group.value->subject) + ": " + number.reason;
    return;
  }
  style.sum_of_logs += std::log(*number.value);
  style.have_intervals = style.have_intervals && number.low && number.high && *number.low > 0;
  if (!style.have_intervals) return;
  const double distance = std::log(*number.high / *number.low) / 2;
  style.squares_of_distances += distance * distance;
}

// Returns the geometric mean over the groups, with the errors of groups as independent.
Number mean_of(const OfStyle& style) {
  if (!style.reason.empty()) return {.reason = style.reason};
  const double mean = std::exp(style.sum_of_logs / style.groups);
  if (!style.have_intervals) return {mean, {}, {}, ""};
  const double factor = std::exp(std::sqrt(style.squares_of_distances) / style.groups);
  return {mean, mean / factor, mean * factor, ""};
}

}  // namespace

Rows speed_up_by_family(const Selection& selection) {
  return rows_of_groups(selection, "family_speed_up_ratio", PublishedQuantity::speed_up);
}

Rows cpu_relief(const Selection& selection) {
  return rows_of_groups(selection, "family_cpu_reduction_ratio", PublishedQuantity::cpu_reduction);
}

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
    add_number(row, kMean, number, state_of(mean));
    rows.push_back(std::move(row));
  }
  add_published_groups(selection, rows, PublishedQuantity::cpu_percent, kMean);
  sort_by_batch(rows);
  return rows_with(std::move(rows), kMean, kNoGroups);
}

Rows speed_up_by_style(const Selection& selection) {
  constexpr const char* kName = "style_speed_up_ratio";
  const std::vector<SeriesNumber> groups = series_numbers(selection, "family_speed_up_ratio");
  using Key = std::tuple<int, std::string, std::string, std::string>;  // batch sizes first
  std::map<Key, OfStyle> styles;
  for (const SeriesNumber& group : groups) {
    const CellData& first = *group.cells.front();
    if (!metrics::series::style_of(first)) continue;
    const int batch_group = metrics::series::first_of_batch_group(first.of.model.key.batch);
    OfStyle& style = styles[{batch_group, selection.device(first), first.of.model.style, selection.compiler(first)}];
    if (style.first == nullptr) style.first = &group;
    add(style, group);
  }
  std::vector<Row> rows;
  for (const auto& [key, style] : styles) {
    Row row = row_of_group(selection, *style.first);
    row["panel"] = row["model_style"];
    row.erase("model_group");
    row["groups"] = style.groups;
    add_number(row, kName, mean_of(style), style.missing);
    rows.push_back(std::move(row));
  }
  const char* const why_none = rows.empty() ? "the study gives no model a style" : "no style has a speed-up";
  return rows_with(std::move(rows), kName, why_none);
}

}  // namespace ngb::report::figures
