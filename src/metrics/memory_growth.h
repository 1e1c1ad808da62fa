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
  double count = 0;  // of inferences since the start of the process, or of sessions
  double bytes = 0;  // resident
  std::int64_t at_ns = 0;
};

// Two growths that differ by less are the same: it is 100 MB in a million inferences.
inline constexpr double kLeastGrowthBytes = 100;

// Likewise of sessions; it is 10 MB in a hundred.
inline constexpr double kLeastSessionBytes = 100'000;

// What the marks of a process count: inferences, or sessions that were made and destroyed.
enum class MarksOf { inferences, sessions };

// Returns the marks of a process in the order of their counts; at most so many, evenly chosen.
std::vector<MemoryMark> memory_marks(const samples::ProcessResult& process, std::size_t most,
                                     MarksOf of = MarksOf::inferences);

// Rows of the table.
Formula memory_growth, session_memory, session_time;

}  // namespace ngb::metrics
