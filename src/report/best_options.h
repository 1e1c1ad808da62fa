// SPDX-License-Identifier: Apache-2.0
// Finds the best settings (options, threads, version) of each compiler that was measured with several.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "metrics/numbers.h"
#include "report/document.h"

namespace ngb::report {

// The best settings of one compiler on one device, compute device, model and batch. It points into the cells and values
// it was made from.
struct BestOptions {
  const store::CellData* any = nullptr;        // the first of its cells
  const store::CellData* winner = nullptr;     // highest throughput; null: none has a speed
  const store::CellData* runner_up = nullptr;  // null: no other has a speed
  metrics::Number margin{};                    // the winner's margin_ratio; none without a runner-up
  [[nodiscard]] bool has_interval() const;     // false with one process
  [[nodiscard]] bool is_told_apart() const;    // the interval does not contain 1
};

// Returns the best options in the order of the cells. Leaves out compilers with only one setting, and compilers for
// none of whose cells `is_shown` is true.
std::vector<BestOptions> best_options(const std::vector<store::CellData>& cells, const metrics::Numbers& numbers,
                                      const std::function<bool(const store::CellData&)>& is_shown);

// Returns a section for each device, model and batch, with a row for each compiler.
std::vector<Section> best_options_sections(const std::vector<BestOptions>& choices);
// Returns a text table of these sections.
std::string best_options_table(std::vector<Section> sections, int width, bool color);

// [{"device", "model", "batch", "compiler", "winner": {"cell_id", "compiler_label", "compiler_version", "options",
// "threads"} or null, "runner_up": likewise, "margin_ratio": {"value", "low", "high"} or null, "is_told_apart": true,
// false or, without an interval, null}]
nlohmann::json to_json(const std::vector<BestOptions>& choices);

}  // namespace ngb::report
