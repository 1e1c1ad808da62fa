// SPDX-License-Identifier: Apache-2.0
#include "report/show/show.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/text.h"
#include "report/columns.h"
#include "report/series/series.h"
#include "report/show/text_table.h"
#include "report/words.h"
#include "report/write/csv.h"
#include "report/write/json.h"
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

// The table of Markdown: a row for each cell, with the numbers of the text table. The columns that it needs are known
// once it has all rows.
class FlatTable {
 public:
  FlatTable(const ShowOptions& options, const metrics::Baseline& baseline)
      : has_all_(options.all || !options.columns.empty()),
        numbers_(options.columns.empty() ? number_columns(options.all, ColumnsInUse{true, true, true, true})
                                         : options.columns) {
    for (const Attribute& attribute : attributes()) {
      if (attribute.heading == nullptr) continue;
      attributes_.push_back(attribute);
      columns_.push_back(text_column(attribute.heading));
    }
    columns_.push_back(text_column("compiler"));
    const std::string over = baseline.is_identity() ? "" : markdown_text(baseline.words());
    for (const NumberColumn& column : numbers_) columns_.push_back(described(column, over));
    columns_.push_back(text_column("flags"));
  }

  void add(const Results& results) {
    for (const Attribute& attribute : shown_attributes(results.cells)) needed_.insert(attribute.name);
    for (const CellData* cell : results.cells) {
      in_use_ = in_use_ | columns_in_use(*cell);
      if (cell->of.compute_device.value) devices_.insert(*cell->of.compute_device.value);
      Row row;
      for (const Attribute& attribute : attributes_) {
        row.entries.push_back({.value = attribute.of(*cell), .reason = "unknown"});
      }
      row.entries.push_back({.value = compiler_in_words(*cell)});
      for (const NumberColumn& column : numbers_) row.entries.push_back(metric_entry(results, *cell, column));
      row.entries.push_back({.value = flags_or_why(*cell, results.numbers)});
      rows_.push_back({markdown_fields(columns_, row), markdown_text(", " + compute_device_of(*cell))});
    }
  }

  void print(const Print& print) const {
    const std::vector<bool> needed = needed_columns();
    std::vector<Column> columns;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (needed[i]) columns.push_back(columns_[i]);
    }
    print(markdown_header(columns));
    for (const auto& [fields, device] : rows_) {
      std::vector<std::string> shown;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!needed[i]) continue;
        shown.push_back(fields[i]);
        if (i == attributes_.size() && devices_.size() > 1) shown.back() += device;
      }
      print(markdown_line(shown));
    }
  }

 private:
  [[nodiscard]] std::vector<bool> needed_columns() const {
    std::vector<bool> needed;
    for (const Attribute& attribute : attributes_) needed.push_back(needed_.contains(attribute.name));
    needed.push_back(true);
    for (const NumberColumn& column : numbers_) needed.push_back(has_all_ || is_about(*column.metric, in_use_));
    needed.push_back(true);
    return needed;
  }

  struct FlatRow {
    std::vector<std::string> fields{};  // of all columns
    std::string device{};               // compute device, as it follows the compiler
  };
  bool has_all_;
  std::vector<NumberColumn> numbers_;
  std::vector<Attribute> attributes_{};
  std::vector<Column> columns_{};
  std::vector<FlatRow> rows_{};
  std::set<std::string_view> needed_{};  // attributes
  ColumnsInUse in_use_{};
  std::set<std::string> devices_{};
};

// The table for services that watch numbers: a row for each cell, with its name, its properties and the metrics.
class WatchedTable {
 public:
  WatchedTable(const Format& format, const ShowOptions& options)
      : numbers_(options.columns.empty() ? number_columns(options.all, ColumnsInUse{}) : options.columns) {
    std::erase_if(numbers_, [&](const NumberColumn& column) {
      const metrics::Better better = column.metric->better;
      const bool is_less_better = better != metrics::Better::neither && !column.metric->is_higher_better();
      return format.is("github-action-benchmark") && !is_less_better;
    });
    Table& table = document_.table;
    table.columns.push_back({.kind = Kind::text});
    for (const work::Property& each : work::properties()) table.columns.push_back(data_column(each.name));
    for (const NumberColumn& column : numbers_) {
      table.columns.push_back(quantity_column(column.metric->name, column.metric->unit, column.metric->has_interval));
    }
    table.sections.emplace_back();
  }

  void add(const Results& results) {
    for (const CellData* cell : results.cells) {
      Row row;
      row.entries.push_back({fmt::format("{}: {}, {}, {}{}", workload_on_device(*cell), compiler_in_words(*cell),
                                         threads_of(*cell), cell->of.compiler.precision, handed_after_name(*cell))});
      for (const work::Property& each : work::properties()) row.entries.push_back({work::value_of(each, cell->of)});
      for (const NumberColumn& column : numbers_) row.entries.push_back(value_entry(results, *cell, *column.metric));
      document_.table.sections.front().rows.push_back(std::move(row));
    }
  }
  [[nodiscard]] const Document& document() const { return document_; }

 private:
  std::vector<NumberColumn> numbers_;
  Document document_{};
};

// Returns the object without its cells.
json heading_json(const Results& results) {
  json object{{"best_options", nullptr}, {"series", nullptr}, {"conclusions", nullptr}};
  if (!results.come_in_parts) {
    object["best_options"] = to_json(results.best_options);
    object["series"] = series_json(results);
    object["conclusions"] = conclusions_json(results);
  }
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
  static const FormatNames kNames{"text",       "json", "csv", "markdown", "bencher", "github-action-benchmark",
                                  "openmetrics"};
  return kNames;
}

ngb::Status show(const Format& format, const Results& whole, const EachPart& each, const ShowOptions& options,
                 const Print& print) {
  if (format.is("json")) {
    ngb::Status done = Done{};
    const auto each_cell = [&](const UseJson& use) {
      done = each([&use](const Results& part) {
        for (const CellData* cell : part.cells) use(row_json(cell_columns(), cell_row(*cell, part)));
      });
    };
    print_json(heading_json(whole), "cells", each_cell, print);
    return done;
  }
  if (format.is("csv")) {
    print(csv_header(cell_columns()));
    return each([&print](const Results& part) {
      for (const CellData* cell : part.cells) print(csv_line(cell_columns(), cell_row(*cell, part)));
    });
  }
  if (format.is("markdown")) {
    FlatTable table(options, whole.baseline);
    ngb::Status done = each([&table](const Results& part) { table.add(part); });
    if (done) table.print(print);
    return done;
  }
  if (!format.is("text")) {
    WatchedTable table(format, options);
    ngb::Status done = each([&table](const Results& part) { table.add(part); });
    if (done) format.print(table.document(), {}, print);
    return done;
  }
  TextTable table(options, whole.baseline);
  ngb::Status done = each([&table](const Results& part) { table.add(part); });
  if (done) table.print(whole.differences, whole.allocator, print);
  return done;
}

void show(const Format& format, const Results& results, const ShowOptions& options, const Print& print) {
  const auto all_at_once = [&results](const UsePart& use) -> ngb::Status {
    use(results);
    return Done{};
  };
  (void)show(format, results, all_at_once, options, print);  // it has no error
}

namespace {

std::string shown_as(const char* format, const Results& results, const ShowOptions& options) {
  std::string text;
  show(*find_format(format, show_formats()).value(), results, options,
       [&text](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace

std::string show_text(const Results& results, const ShowOptions& options) { return shown_as("text", results, options); }

std::string show_csv(const Results& results) { return shown_as("csv", results, {}); }

}  // namespace ngb::report
