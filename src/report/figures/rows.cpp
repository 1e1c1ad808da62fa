// SPDX-License-Identifier: Apache-2.0
#include "report/figures/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
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

Rows rows_with(std::vector<Row> rows, const char* name, const std::string& why_none) {
  const bool have_number = std::any_of(
      rows.begin(), rows.end(), [name](const Row& row) { return row.contains(name) && row.at(name).is_number(); });
  if (!have_number) return {.why_none = why_none};
  return {.rows = std::move(rows)};
}

Rows grid_with(std::vector<Row> rows, const char* name, const std::string& why_none, const std::string& why_empty) {
  std::vector<std::string> panels;
  std::vector<std::string> columns;
  std::set<std::pair<std::string, std::string>> known;
  for (const Row& row : rows) {
    const auto panel = row.at("panel").get<std::string>();
    const auto column = row.at("column").get<std::string>();
    if (std::find(panels.begin(), panels.end(), panel) == panels.end()) panels.push_back(panel);
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    known.emplace(panel, column);
  }
  Rows made = rows_with(std::move(rows), name, why_none);
  if (made.rows.empty()) return made;
  for (const std::string& panel : panels) {
    for (const std::string& column : columns) {
      if (!known.contains({panel, column})) made.rows.push_back(empty_panel(panel, column, why_empty));
    }
  }
  sort_by("panel", made.rows);  // whose columns follow in the order of their first mention too
  return made;
}

Row empty_panel(std::string panel, std::string column, std::string reason) {
  return {{"panel", std::move(panel)},
          {"column", std::move(column)},
          {"compiler", ""},
          {"state", "empty"},
          {"reason", std::move(reason)}};
}

void sort_by(const char* column, std::vector<Row>& rows) {
  std::map<std::string, std::size_t> texts;
  for (const Row& row : rows) texts.emplace(row.at(column).get<std::string>(), texts.size());
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return texts.at(a.at(column).get<std::string>()) < texts.at(b.at(column).get<std::string>());
  });
}

void sort_by_numbers(const std::vector<const char*>& columns, std::vector<Row>& rows) {
  const auto key = [&columns](const Row& row) {
    std::vector<double> numbers;
    for (const char* const column : columns) {
      const auto found = row.find(column);
      numbers.push_back(found != row.end() && found->is_number() ? found->get<double>() : 0.0);
    }
    return numbers;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return key(a) < key(b); });
}

std::string place_in_figure(const Selection& selection, const CellData& cell) {
  const std::string kind = cell.of.compute_device.value.value_or("cpu");
  const std::string device = selection.device(cell);
  return kind == "cpu" || device.ends_with(kind) ? device : fmt::format("{} ({})", device, text::visible(kind));
}

}  // namespace ngb::report::figures
