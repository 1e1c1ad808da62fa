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

using store::CellData;

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
  if (!state.reason.empty()) return {.reason = state.reason, .quantity = std::string(metric), .of = &cell};
  return selection.results().numbers.of(cell, metric);
}

Row or_null(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? Row(*number) : Row(nullptr);
}

void add_number(Row& row, const Number& number) {
  add_number(row, number.quantity.c_str(), number, state_of(*number.of));
}

void add_number(Row& row, const char* name, const Number& number, const State& state) {
  row[name] = or_null(number.value);
  row["low"] = or_null(number.low);
  row["high"] = or_null(number.high);
  const bool is_missing = row[name].is_null() && state.reason.empty();
  row["state"] = is_missing ? "no_value" : state.name;
  row["reason"] = state.reason.empty() ? text::visible(number.reason) : state.reason;
}

bool have_number(const std::vector<Row>& rows, const char* name) {
  return std::any_of(rows.begin(), rows.end(), [name](const Row& row) { return row.at(name).is_number(); });
}

Rows rows_with(std::vector<Row> rows, const char* name, const std::string& why_none) {
  if (!have_number(rows, name)) return {.why_none = why_none};
  return {.rows = std::move(rows)};
}

}  // namespace ngb::report::figures
