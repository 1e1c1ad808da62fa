// SPDX-License-Identifier: Apache-2.0
// The columns of a results table. Every format is made from them, metrics::metrics() and metrics::flag_table().
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "metrics/metric.h"
#include "report/values.h"

namespace ngb::report {

// A column that identifies a cell or says how much of it is measured.
struct Attribute {
  const char* name;     // JSON key and CSV column
  const char* heading;  // in tables for people; null: only programs see the column
  nlohmann::json (*of)(const store::CellData& cell);
};
std::span<const Attribute> attributes();

// {"kind", "phase", "message", "advice", "log_path"} and, where known, "signal" and "exit_code" of the failure that
// decided the cell's status; null for a cell that did not fail.
nlohmann::json failure_json(const store::CellData& cell);

// A column of numbers in tables for people: a metric and, if it has one, its deviation ("52.1 ± 1.2").
struct NumberColumn {
  const metrics::Metric* metric = nullptr;
  const metrics::Metric* deviation = nullptr;  // null: none
};
// Returns the columns of all metrics, or only of those with a rank.
std::vector<NumberColumn> number_columns(bool all);
std::string heading(const NumberColumn& column);  // "samples/s ± std", "speed-up [95 %]"

// A number with its deviation or interval: {"52.1", " ± 1.2"}; {"–", ""} if it is unknown.
struct ShownNumber {
  std::string main{};
  std::string tail{};
};
ShownNumber shown_number(const Values& values, const store::CellData& cell, const NumberColumn& column);

// Returns why a row has no numbers: "not measured yet", "failed: crash in compile: signal 11"; "" if it has numbers.
std::string why_no_numbers(const store::CellData& cell);

}  // namespace ngb::report
