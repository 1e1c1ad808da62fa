// SPDX-License-Identifier: Apache-2.0
// Which settings (options, threads, version) of a compiler are the best, where it stands with several.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/values.h"

namespace ngb::report {

// One compiler on one device, model and batch. Pointers are into the cells and values that it was made from.
struct BestOptions {
  const store::CellData* any = nullptr;         // of its cells the first
  const store::CellData* winner = nullptr;      // highest mean throughput; null: none of them has a speed
  const store::CellData* runner_up = nullptr;   // null: no other has a speed
  const store::DerivedValue* margin = nullptr;  // the winner's margin_ratio; null without a runner-up
  [[nodiscard]] bool has_interval() const;      // with one process there is none
  [[nodiscard]] bool is_told_apart() const;     // the interval does not hold 1
};

// In the order of the cells; compilers with one setting only are left out.
std::vector<BestOptions> best_options(const std::vector<store::CellData>& cells, const Values& values);

// As text: a section for each device, model and batch, a row for each compiler.
std::string best_options_table(const std::vector<BestOptions>& choices, int width, bool color);

// [{"device", "model", "batch", "compiler", "winner": {"cell_id", "compiler_label", "compiler_version", "options",
// "threads"} or null, "runner_up": likewise, "margin_ratio": {"value", "low", "high"} or null, "is_told_apart": true,
// false or, without an interval, null}]
nlohmann::json to_json(const std::vector<BestOptions>& choices);

}  // namespace ngb::report
