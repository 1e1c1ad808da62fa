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
  bool is_shown;  // a column of `ngb show` without --all
  Value (*compute)(const Analysis& analysis, std::size_t cell);
};

std::span<const Metric> metrics();

// docs/metrics.md, from the table.
std::string to_markdown();

// Values of every metric for every cell. Uses `threads` threads for the resampling.
std::vector<store::DerivedValue> compute_all(const std::vector<store::CellData>& cells, int threads);

// Why a cell's number deserves a second look: "not_steady", "spread", "unstable", "steal", "pressure", "throttled",
// "mixed_environment", "unchecked".
std::vector<std::string> flags(const store::CellData& cell);

}  // namespace ngb::metrics
