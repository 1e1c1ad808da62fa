// SPDX-License-Identifier: Apache-2.0
// Whether a cell has a speed, and what it is made of.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace ngb::metrics {

// The failure that takes the cell's speed away: one that is a property of the cell (wrong outputs, an unsupported
// operator, …) and was not overcome by a later attempt, or any, where no process completed. Null: none does.
const samples::ProcessResult* decisive_failure(const store::CellData& cell);

// The steady repetitions of a cell's completed processes.
struct Steady {
  std::vector<std::vector<double>> throughput_by_process{};  // samples/s; processes without steady ones left out
  std::vector<double> throughput_sorted{};                   // of all, ascending
  std::vector<double> latency_sorted_s{};                    // of one inference, mean over its repetition
  double inferences = 0;                                     // in all repetitions together
  double wall_s = 0;                                         // of all repetitions together
  bool is_grouped = false;                                   // some repetition holds more than one inference
  std::string reason{};                                      // why there are none; empty when there are
};

Steady steady(const store::CellData& cell);

}  // namespace ngb::metrics
