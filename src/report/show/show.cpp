// SPDX-License-Identifier: Apache-2.0
#include "report/show/show.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "report/columns.h"
#include "report/series/series.h"
#include "report/show/text_table.h"
#include "report/words.h"
#include "report/write/csv.h"
#include "report/write/markdown.h"

namespace ngb::report {
namespace {

using nlohmann::json;
using store::CellData;

constexpr std::array kFailureFields{"kind", "phase", "message", "advice", "log_path", "signal", "exit_code"};

// The columns of CSV and JSON; cell_row has an entry for each.
std::vector<Column> make_cell_columns() {
  std::vector<Column> columns;
  for (const Attribute& attribute : attributes()) columns.push_back(data_column(attribute.name));
  columns.push_back({.json = "failure"});
  for (const char* field : kFailureFields) columns.push_back({.csv = fmt::format("failure_{}", field)});
  columns.push_back({.json = "flags"});
  for (const metrics::Flag& flag : metrics::flag_table()) columns.push_back({.csv = fmt::format("flag_{}", flag.name)});
  columns.push_back({.csv = "baseline_cell_id", .json = "baseline.cell_id"});
  columns.push_back({.json = "baseline.compiler_label"});
  columns.push_back({.json = "baseline.compiler_version"});
  columns.push_back({.csv = "baseline_precision", .json = "baseline.precision"});
  for (const metrics::Metric& metric : metrics::metrics()) {
    Column column = quantity_column(metric.name, metric.unit, metric.has_interval);
    column.json = fmt::format("metrics.{}", metric.name);
    columns.push_back(std::move(column));
  }
  return columns;
}

const std::vector<Column>& cell_columns() {
  static const std::vector<Column> kColumns = make_cell_columns();
  return kColumns;
}

Row cell_row(const CellData& cell, const Results& results) {
  Row row;
  row.entries.reserve(cell_columns().size());
  const auto add = [&row](json value) { row.entries.push_back({.value = std::move(value)}); };
  for (const Attribute& attribute : attributes()) add(attribute.of(cell));
  const json failure = failure_json(cell);
  add(failure);
  for (const char* field : kFailureFields) add(failure.contains(field) ? failure[field] : json());
  json flags = json::object();
  for (const metrics::RaisedFlag& raised : results.numbers.flags(cell)) flags[raised.flag->name] = raised.value;
  add(flags);
  for (const metrics::Flag& flag : metrics::flag_table()) add(flags.contains(flag.name) ? flags[flag.name] : json());
  const CellData* const baseline = results.baseline_of(cell);
  const auto add_of_baseline = [&](const std::string& text) { add(baseline == nullptr ? json() : json(text)); };
  const CellData& described = baseline == nullptr ? cell : *baseline;
  add_of_baseline(described.cell_id);
  add_of_baseline(described.of.compiler.label);
  add_of_baseline(described.of.compiler.version);
  add_of_baseline(described.of.compiler.precision);
  for (const metrics::Metric& metric : metrics::metrics()) row.entries.push_back(value_entry(results, cell, metric));
  return row;
}

std::string flags_or_why(const CellData& cell, const metrics::Numbers& numbers) {
  std::vector<std::string> names;
  for (const metrics::RaisedFlag& raised : numbers.flags(cell)) names.emplace_back(raised.flag->name);
  const std::string why = why_no_numbers(cell);
  return why.empty() ? text::join(names, ", ") : why;
}

// The table of Markdown: a row for each cell, with the numbers of the text table.
Document flat_document(const Results& results, const ShowOptions& options) {
  Document document;
  const std::vector<NumberColumn> numbers =
      options.columns.empty() ? number_columns(options.all, results.cells) : options.columns;
  const std::vector<Attribute> shown = shown_attributes(results.cells);
  std::vector<Column>& columns = document.table.columns;
  for (const Attribute& attribute : shown) columns.push_back(text_column(attribute.heading));
  columns.push_back(text_column("compiler"));
  const std::string over = results.baseline.is_identity() ? "" : markdown_text(results.baseline.words());
  for (const NumberColumn& column : numbers) columns.push_back(described(column, over));
  columns.push_back(text_column("flags"));
  const bool names_devices = are_on_several_compute_devices(results.cells);
  Section& section = document.table.sections.emplace_back();
  for (const CellData* cell : results.cells) {
    Row row;
    for (const Attribute& attribute : shown) row.entries.push_back({.value = attribute.of(*cell), .reason = "unknown"});
    row.entries.push_back({.value = compiler_in_words(*cell) + (names_devices ? ", " + compute_device_of(*cell) : "")});
    for (const NumberColumn& column : numbers) row.entries.push_back(metric_entry(results, *cell, column));
    row.entries.push_back({.value = flags_or_why(*cell, results.numbers)});
    section.rows.push_back(std::move(row));
  }
  return document;
}

json with_heading(const Results& results, json object) {
  object["baseline"] = results.baseline.words();
  object["environment_differences"] = to_json(results.differences);
  object["allocator"] = results.allocator.empty() ? "default" : results.allocator;
  for (const metrics::Metric& metric : metrics::metrics()) {
    object["metrics"].push_back({{"name", metric.name},
                                 {"unit", metric.unit},
                                 {"formula", metric.formula},
                                 {"source", metric.source},
                                 {"has_interval", metric.has_interval}});
  }
  return object;
}

}  // namespace

const FormatNames& show_formats() {
  static const FormatNames kNames{"text", "json", "csv", "markdown"};
  return kNames;
}

void show(const Format& format, const Results& results, const ShowOptions& options, const Print& print) {
  if (format.is("json")) return show_json(results, print);
  if (format.is("markdown")) return format.print(flat_document(results, options), {}, print);
  if (format.is("text")) {
    TextTable table(options, results.baseline);
    table.add(results);
    return table.print(results.differences, results.allocator, print);
  }
  print(show_csv_header());
  for (const CellData* cell : results.cells) print(csv_line(cell_columns(), cell_row(*cell, results)));
}

std::string show_text(const Results& results, const ShowOptions& options) {
  std::string text;
  show(*find_format("text", show_formats()).value(), results, options,
       [&text](std::string_view piece) { text += piece; });
  return text;
}

std::vector<json> cells_json(const Results& results) {
  std::vector<json> cells;
  for (const CellData* cell : results.cells) cells.push_back(row_json(cell_columns(), cell_row(*cell, results)));
  return cells;
}

void show_json(const Results& results, const Print& print) {
  json of_all{{"best_options", to_json(results.best_options)},
              {"series", series_json(results)},
              {"conclusions", conclusions_json(results)}};
  const auto each = [&results](const UseJson& use) {
    for (const CellData* cell : results.cells) use(row_json(cell_columns(), cell_row(*cell, results)));
  };
  print_json(with_heading(results, std::move(of_all)), "cells", each, print);
}

void show_json(const Results& results, const std::function<void(const UseJson& use)>& each, const Print& print) {
  json of_all{{"best_options", nullptr}, {"series", nullptr}, {"conclusions", nullptr}};
  print_json(with_heading(results, std::move(of_all)), "cells", each, print);
}

std::string show_csv_header() { return csv_header(cell_columns()); }
std::string show_csv_lines(const Results& results) {
  std::string text;
  for (const CellData* cell : results.cells) text += csv_line(cell_columns(), cell_row(*cell, results));
  return text;
}

std::string show_csv(const Results& results) { return show_csv_header() + show_csv_lines(results); }

}  // namespace ngb::report
