// SPDX-License-Identifier: Apache-2.0
// Makes the table of `ngb history --points`, with a row for each point of each cell.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "report/history/lines.h"

namespace ngb::report {
namespace {

// A point with its index in its line.
struct PointOf {
  const LineOf& of;
  std::size_t index = 0;

  [[nodiscard]] const history::Point& point() const { return of.line.points[index]; }
};

Entry change_at(const PointOf& at) {
  const std::vector<history::Change>& changes = at.of.findings.changes;
  const auto found = std::ranges::find(changes, at.index, &history::Change::at);
  return found == changes.end() ? Entry{} : Entry{words_of_change(at.of.whole, at.of.line, *found)};
}

Entry surroundings_at(const PointOf& at) {
  if (at.index == 0) return {};
  return text_entry(words_of(history::differences(at.of.whole, at.of.line.points[at.index - 1], at.point())));
}

using PointColumns = MadeColumns<PointOf>;

PointColumns point_columns(const history::History& whole) {
  PointColumns columns;
  columns.add(named("cell", text_column("cell")),
              [](const PointOf& at) { return Entry{name_of_line(at.of.whole, at.of.line)}; });
  columns.add(named("point", text_column("point")),
              [](const PointOf& at) { return Entry{name_of_point(at.of.whole, at.point())}; });
  columns.add(column_of_values(whole, whole.metric().heading),
              [](const PointOf& at) { return entry_of_point(at.point()); });
  columns.add(quantity_column("value", whole.metric().unit, true),
              [](const PointOf& at) { return entry_of_point(at.point()); });
  columns.add(named("change", text_column("change", 1)), change_at);
  columns.add(named("with", text_column("what else changed", 2)), surroundings_at);
  columns.add(named("results", text_column("results", 3)),
              [](const PointOf& at) { return Entry{at.of.whole.sources[at.point().source].name}; });
  return columns;
}

}  // namespace

Document points_document(const ShownHistory& shown) {
  const auto columns = std::make_shared<const PointColumns>(point_columns(*shown.lines));
  Document document = document_of_history(shown, columns->columns(), "point");
  document.json_rows = "points";
  document.table.sections.front().made_rows = [shown, columns](const UseRow& use) {
    each_line(shown, [&](const LineOf& of) {
      for (std::size_t i = 0; i < of.line.points.size(); ++i) use(columns->row({of, i}));
    });
  };
  return document;
}

Document results_document(const ShownHistory& shown) {
  const std::vector<history::Source>& sources = shown.lines->sources;
  std::vector<Column> columns{data_column("time"), data_column("results")};
  std::vector<std::map<std::uint32_t, double>> values;  // of each line, by source
  each_line(shown, [&](const LineOf& of) {
    columns.push_back(data_column(name_of_line(of.whole, of.line)));
    std::map<std::uint32_t, double>& known = values.emplace_back();
    for (const history::Point& point : of.line.points) {
      if (point.value.value) known.emplace(point.source, *point.value.value);
    }
  });
  Document document = document_of_history(shown, std::move(columns), "results");
  std::vector<std::uint32_t> order(sources.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t source) { return sources[source].recorded_unix_ns; });
  for (const std::uint32_t source : order) {
    Row row{.entries = {{time_of_results(sources[source])}, {sources[source].name}}};
    for (const auto& known : values) {
      if (const auto found = known.find(source); found != known.end()) row.entries.push_back({found->second});
    }
    if (row.entries.size() == values.size() + 2) {
      document.table.sections.front().rows.push_back(std::move(row));
    }
  }
  return document;
}

}  // namespace ngb::report
