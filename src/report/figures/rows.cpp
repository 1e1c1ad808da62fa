// SPDX-License-Identifier: Apache-2.0
#include "report/figures/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "metrics/outcome.h"
#include "report/columns.h"

namespace ngb::report::figures {
namespace {

using store::CellData;

Row number_or_null(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? Row(*number) : Row(nullptr);
}

// Returns the distance from the value to an end of its interval, by logarithms; 0 without an interval.
double log_distance(const std::optional<double>& end, double value) {
  return end && *end > 0 ? std::abs(std::log(*end / value)) : 0;
}

}  // namespace

State state_of(const CellData& cell) {
  const Status status = status_of(cell);
  if (status == Status::measured || status == Status::partial) return {std::string(name(status)), ""};
  const samples::ProcessResult* const process = metrics::decisive_failure(cell);
  const bool is_inaccurate = status == Status::failed && process->failure->kind == samples::FailureKind::inaccurate;
  return {is_inaccurate ? "inaccurate" : std::string(name(status)), text::visible(why_no_numbers(cell))};
}

Row row_of(const Selection& selection, const CellData& cell, std::string panel) {
  return {{"panel", std::move(panel)},
          {"device", selection.device(cell)},
          {"model", text::visible(cell.of.model.label)},
          {"model_group", text::visible(cell.of.model.group)},
          {"model_style", text::visible(cell.of.model.style)},
          {"batch", cell.of.model.key.batch},
          {"compiler", selection.compiler(cell)}};
}

Number number_of(const Selection& selection, const CellData& cell, std::string_view metric) {
  const State state = state_of(cell);
  if (!state.reason.empty()) return {.reason = state.reason};
  const store::DerivedValue* const value = selection.results().values.find(cell.cell_id, metric);
  if (value == nullptr) return {.reason = "not measured yet"};
  return {value->value, value->low, value->high, text::visible(value->reason.str())};
}

void add_number(Row& row, const char* name, const Number& number, const State& state) {
  row[name] = number_or_null(number.value);
  row["low"] = number_or_null(number.low);
  row["high"] = number_or_null(number.high);
  const bool is_missing = row[name].is_null() && state.reason.empty();
  row["state"] = is_missing ? "no_value" : state.name;
  row["reason"] = state.reason.empty() ? number.reason : state.reason;
}

bool have_number(const std::vector<Row>& rows, const char* name) {
  return std::any_of(rows.begin(), rows.end(), [name](const Row& row) { return row.at(name).is_number(); });
}

Rows rows_with(std::vector<Row> rows, const char* name, const std::string& why_none) {
  if (!have_number(rows, name)) return {.why_none = why_none};
  return {.rows = std::move(rows)};
}

Number ratio_of(const Number& number, const Number& reference) {
  if (!number.value) return {.reason = number.reason};
  if (!reference.value) return {.reason = reference.reason};
  Number ratio{*number.value / *reference.value};
  if (!number.low || !number.high || !reference.low || !reference.high) return ratio;
  // Not std::hypot, which would need glibc 2.35.
  const auto length = [](double a, double b) { return std::sqrt(a * a + b * b); };
  ratio.low = *ratio.value * std::exp(-length(log_distance(number.low, *number.value),
                                              log_distance(reference.high, *reference.value)));
  ratio.high = *ratio.value * std::exp(length(log_distance(number.high, *number.value),
                                              log_distance(reference.low, *reference.value)));
  return ratio;
}

}  // namespace ngb::report::figures
