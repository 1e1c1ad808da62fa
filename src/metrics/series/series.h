// SPDX-License-Identifier: Apache-2.0
// The table of numbers that span cells. `ngb show --series`, JSON keys, the results file and docs/metrics.md derive
// from its rows.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "metrics/analysis.h"
#include "store/store.h"

namespace ngb::metrics::series {

// The cells of one group of models on one device, as indices of an Analysis. A number of the table needs no cell of
// another part, unless it spans groups: it is then of the part of all cells, whose name is "".
struct Part {
  std::string name{};  // unique within the results
  std::vector<std::size_t> cells{};
};

struct Series {
  const char* name;     // snake_case with unit, as in JSON and SQL: "depth_slope_per_block"
  const char* heading;  // in `ngb show --series`
  const char* unit;     // "ratio", "samples/s", "percent", "s", "1"
  const char* formula;
  const char* source;  // paper section, or "ours" for what the paper does not define
  bool has_interval;
  // Returns the values of a part, in the order of its cells. Fields that only the table knows are left empty.
  std::vector<store::SeriesValue> (*compute)(const Analysis& analysis, const Part& part);
  const char* truth;                // case of tests/truth/series_test.py, as of a Metric
  const char* deviation = nullptr;  // name of the series that tables show after "±"; null: none
  bool spans_groups = false;        // is computed of the part of all cells only, whose name is ""
};

std::span<const Series> all_series();
// Returns null if there is no such series.
const Series* find_series(std::string_view name);

// Returns the cells of exact models. A variant is pooled with no other model, so it takes part in no series.
std::vector<const store::CellData*> of_exact_models(const std::vector<store::CellData>& cells);

// Returns the parts in the order of their first cells. Indices are those of `cells`.
std::vector<Part> parts_of(const std::vector<const store::CellData*>& cells);

// Returns the values of all series that are of such a part, in the order of the table.
std::vector<store::SeriesValue> values_of(const Analysis& analysis, const Part& part);

}  // namespace ngb::metrics::series
