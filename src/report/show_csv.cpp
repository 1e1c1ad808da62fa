// SPDX-License-Identifier: Apache-2.0
// Writes CSV as in RFC 4180: a line of column names, then a line for each cell. Numbers are unrounded, in the unit that
// the column's name ends in. An unknown value is an empty field, and the column …_unknown_reason says why.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "report/columns.h"
#include "report/csv_text.h"
#include "report/show.h"

namespace ngb::report {
namespace {

using nlohmann::json;

constexpr std::array kFailureFields{"kind", "phase", "message", "advice", "log_path", "signal", "exit_code"};

std::string csv_line(const store::CellData& cell, const Results& results) {
  const auto value_of = [&](const std::string& metric) {
    const store::DerivedValue* value = results.values.find(cell.cell_id, metric);
    return value == nullptr ? store::DerivedValue{} : *value;
  };
  std::string line;
  for (const Attribute& attribute : attributes()) line += csv_field(attribute.of(cell)) + ',';
  const json failure = failure_json(cell);
  for (const char* field : kFailureFields) line += csv_field(failure.contains(field) ? failure[field] : json()) + ',';
  for (const metrics::Flag& flag : metrics::flag_table()) {
    line += csv_field(value_of(fmt::format("flag_{}", flag.name)).value) + ',';
  }
  const store::CellData* const baseline = results.baseline_of(cell);
  line +=
      baseline == nullptr ? ",," : csv_text(baseline->cell_id) + ',' + csv_text(baseline->of.compiler.precision) + ',';
  for (const metrics::Metric& metric : metrics::metrics()) {
    const store::DerivedValue value = value_of(metric.name);
    line += csv_field(value.value) + ',';
    if (metric.has_interval) line += csv_field(value.low) + ',' + csv_field(value.high) + ',';
    line += csv_text(value.reason) + ',';
  }
  line.back() = '\r';
  return line + '\n';
}

}  // namespace

std::string show_csv_header() {
  std::string line;
  for (const Attribute& attribute : attributes()) line += fmt::format("{},", attribute.name);
  for (const char* field : kFailureFields) line += fmt::format("failure_{},", field);
  for (const metrics::Flag& flag : metrics::flag_table()) line += fmt::format("flag_{},", flag.name);
  line += "baseline_cell_id,baseline_precision,";
  for (const metrics::Metric& metric : metrics::metrics()) {
    line += fmt::format("{},", metric.name);
    if (metric.has_interval) line += fmt::format("{0}_low,{0}_high,", metric.name);
    line += fmt::format("{}_unknown_reason,", metric.name);
  }
  line.back() = '\r';
  return line + '\n';
}

std::string show_csv_lines(const Results& results) {
  std::string text;
  for (const store::CellData* cell : results.cells) text += csv_line(*cell, results);
  return text;
}

std::string show_csv(const Results& results, const ShowOptions& /*options*/) {
  return show_csv_header() + show_csv_lines(results);
}

}  // namespace ngb::report
