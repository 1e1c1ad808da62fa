// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "metrics/series/series.h"
#include "report/numbers.h"
#include "report/series.h"
#include "report/table.h"

namespace ngb::report {
namespace {

using metrics::series::Series;
using store::SeriesValue;

// Identifies what a value is about, so that a value and its deviation find each other.
std::string about(const SeriesValue& value) {
  return fmt::format("{}\n{}\n{}\n{}", value.device, value.compiler, value.subject, value.batch_sizes);
}

using BySeries = std::map<std::string, std::map<std::string, const SeriesValue*>>;

bool is_shown_beside_another(const Series& series) {
  for (const Series& other : metrics::series::all_series()) {
    if (other.deviation != nullptr && std::string_view(other.deviation) == series.name) return true;
  }
  return false;
}

TableCell number_with_tail(const SeriesValue& value, const Series& series, const BySeries& by_series) {
  TableCell cell{number(*value.value, series.unit)};
  if (value.low && value.high) {
    cell.tail = fmt::format(" [{}, {}]", number_beside(*value.low, *value.value, series.unit),
                            number_beside(*value.high, *value.value, series.unit));
  }
  if (value.standard_error) cell.tail += fmt::format(", SE {:.2g}", *value.standard_error);
  if (series.deviation == nullptr) return cell;
  const auto deviations = by_series.find(series.deviation);
  if (deviations == by_series.end()) return cell;
  const auto deviation = deviations->second.find(about(value));
  if (deviation != deviations->second.end() && deviation->second->value) {
    cell.tail = fmt::format(" ± {}", number_beside(*deviation->second->value, *value.value, series.unit));
  }
  return cell;
}

TableRow row_of_value(const SeriesValue& value, const Series& series, const BySeries& by_series) {
  TableRow row;
  row.cells = {{value.subject}, {value.batch_sizes}, {value.device}, {value.compiler}, {"–"}, {}};
  if (value.value)
    row.cells[4] = number_with_tail(value, series, by_series);
  else
    row.cells[5].main = value.reason;
  return row;
}

}  // namespace

Table series_table(const Results& results) {
  BySeries by_series;
  for (const SeriesValue* value : results.series) by_series[value->series].emplace(about(*value), value);
  Table table;
  table.columns = {{"about", true, 0},    {"batch", false, 0}, {"device", true, 0},
                   {"compiler", true, 0}, {"value", false, 0}, {"why there is none", true, 1}};
  for (const Series& series : metrics::series::all_series()) {
    if (is_shown_beside_another(series)) continue;
    TableSection section;
    const std::string unit = std::string_view(series.unit) == "1" ? "" : fmt::format(", {}", series.unit);
    section.title = fmt::format("{}{}{}: {}", series.heading, unit, series.has_interval ? " [95 %]" : "", series.name);
    for (const SeriesValue* value : results.series) {
      if (value->series == series.name) section.rows.push_back(row_of_value(*value, series, by_series));
    }
    if (!section.rows.empty()) table.sections.push_back(std::move(section));
  }
  return table;
}

std::string series_text(const Results& results, const ShowOptions& options) {
  const Table table = series_table(results);
  if (table.sections.empty()) return "These results have no numbers that span cells.\n";
  const Rendering rendering = render(table, options.all ? 0 : options.width, options.color);
  const std::string left_out =
      rendering.left_out.empty() ? "" : "\nThe reasons are too wide for this terminal; --all and --json have them.\n";
  return rendering.text + left_out + "\nFormulas and sources: docs/metrics.md\n";
}

}  // namespace ngb::report
