// SPDX-License-Identifier: Apache-2.0
// How much memory a process keeps of each inference, by its size at marks: readings of its memory, each with how many
// inferences it had run by then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/analysis.h"
#include "metrics/metric.h"
#include "samples/process_result.h"

namespace ngb::metrics {

struct MemoryMark {
  double inferences = 0;  // since the start of the process
  double bytes = 0;       // resident
  std::int64_t at_ns = 0;
};

// Two growths that differ by less are the same: it is 100 MB in a million inferences.
inline constexpr double kLeastGrowthBytes = 100;

// Returns the marks of a process in the order of its inferences; at most so many, evenly chosen.
std::vector<MemoryMark> memory_marks(const samples::ProcessResult& process, std::size_t most);

// Row of the table.
Formula memory_growth;

}  // namespace ngb::metrics
