// SPDX-License-Identifier: Apache-2.0
// The table of metrics: one row each. `ngb show` columns, JSON keys and docs/metrics.md derive from the row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/store.h"

namespace ngb::metrics {

struct Value {
  std::optional<double> value{};
  std::optional<double> low{};  // 95 % interval where the metric states one
  std::optional<double> high{};
  std::string reason{};  // why there is no value
};

class Analysis;  // analysis.h: the cells with what several metrics need (neighbours, resamples), computed once

struct Metric {
  const char* name;     // snake_case with unit, as in JSON and SQL: "throughput_mean_per_s"
  const char* heading;  // of the column in `ngb show`
  const char* unit;     // "samples/s", "ratio", "percent", "s", "bytes"
  const char* formula;  // in the terms of docs/measurement.md
  const char* source;   // paper section or standard
  bool has_interval;
  int rank;  // of its column in `ngb show`: 1 stays longest on a narrow terminal; 0: with --all only
  Value (*compute)(const Analysis& analysis, std::size_t cell);
};

std::span<const Metric> metrics();
// Null when there is no such metric.
const Metric* find_metric(std::string_view name);

// What a flag is judged by.
struct Evidence {
  const store::CellData& cell;
  std::optional<double> spread_ratio{};          // the metric of that name
  std::optional<double> highest_frequency_hz{};  // that the device's processor had in any process
};

// A reason to look at a cell's number twice. It takes no number away.
struct Flag {
  const char* name;                                              // "spread"
  const char* threshold;                                         // when it is raised, for people: "IQR / median > 10 %"
  const char* meaning;                                           // what it says about the number, and what may help
  std::optional<double> (*raised_by)(const Evidence& evidence);  // the value that raised it; nothing: not raised
};
std::span<const Flag> flag_table();

// Names of the flags that a cell raises; none for a cell without a speed.
std::vector<std::string> flags(const store::CellData& cell);

// docs/metrics.md, from both tables.
std::string to_markdown();

// Values of every metric for every cell, in the order of cells and metrics; then, as "flag_<name>", the flags that the
// cell raises, with what raised them. Uses `threads` threads for the resampling; the values do not depend on it.
std::vector<store::DerivedValue> compute_all(const std::vector<store::CellData>& cells, int threads);

// Changes whenever a formula does: values that were computed under another one are out of date.
std::string formulas_version();

}  // namespace ngb::metrics
