// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "report/series/series.h"
#include "report/write/text.h"

namespace ngb::report {
namespace {

using store::SeriesValue;

// The columns of the table behind those that say what a row is about.
struct ShapeColumn {
  std::string_view series;
  const char* heading;
  int rank;  // as of a Column
};
constexpr std::array kShapeColumns{
    ShapeColumn{"shape_first_visit_s", "first visit", 0}, ShapeColumn{"shape_second_visit_s", "second", 0},
    ShapeColumn{"shape_later_visits_s", "later [95 %]", 0}, ShapeColumn{"shape_memory_bytes", "memory", 3},
    ShapeColumn{"shape_speed_up_ratio", "speed-up [95 %]", 2}};

std::string title_of_shapes(const SeriesValue& value) {
  const std::size_t shape = value.subject.rfind(", ");
  return fmt::format("{}, batch {}, on {}", value.subject.substr(0, shape), value.batch_sizes, value.device);
}

Entry entry_of_shape(const SeriesValue* value, std::string_view heading) {
  if (value == nullptr || !value->value) return empty_entry(value == nullptr ? "not known" : value->reason);
  const bool has_interval = heading.ends_with(']');
  return {.value = *value->value,
          .low = has_interval ? value->low : std::nullopt,
          .high = has_interval ? value->high : std::nullopt};
}

}  // namespace

bool is_of_shapes(std::string_view series) {
  return std::ranges::any_of(kShapeColumns, [&](const ShapeColumn& column) { return column.series == series; });
}

std::string shapes_text(const Results& results, const ShowOptions& options) {
  Table table{.columns = {text_column("shape"), text_column("compiler")}};
  std::map<std::string, std::map<std::string_view, const SeriesValue*>> by_row;
  const auto row_name = [](const SeriesValue& value) {
    return fmt::format("{}\n{}\n{}", title_of_shapes(value), value.subject, value.compiler);
  };
  for (const SeriesValue* value : results.series) {
    if (is_of_shapes(value->series)) by_row[row_name(*value)][value->series] = value;
  }
  for (const ShapeColumn& column : kShapeColumns) {
    table.columns.push_back(
        number_column(column.heading, column.rank, metrics::series::find_series(column.series)->unit));
  }
  std::map<std::string, std::size_t> sections;
  for (const SeriesValue* value : results.series) {
    if (value->series != kShapeColumns.front().series) continue;
    const auto [section, is_new] = sections.emplace(title_of_shapes(*value), table.sections.size());
    if (is_new) table.sections.push_back({.title = section->first});
    Row row{.entries = {{value->subject.substr(value->subject.rfind(", ") + 2)}, {value->compiler}}};
    const auto& known = by_row[row_name(*value)];
    for (const ShapeColumn& column : kShapeColumns) {
      const auto found = known.find(column.series);
      row.entries.push_back(entry_of_shape(found == known.end() ? nullptr : found->second, column.heading));
    }
    table.sections[section->second].rows.push_back(std::move(row));
  }
  return table.sections.empty() ? "" : render(table, options.all ? 0 : options.width, options.color).text;
}

}  // namespace ngb::report
