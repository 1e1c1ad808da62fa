// SPDX-License-Identifier: Apache-2.0
// How much memory a process keeps of each inference or session, by its size at marks (samples/process_numbers.h).
#pragma once

#include "metrics/analysis.h"
#include "metrics/metric.h"

namespace ngb::metrics {

// Two growths that differ by less are the same: it is 100 MB in a million inferences.
inline constexpr double kLeastGrowthBytes = 100;

// Likewise of sessions; it is 10 MB in a hundred.
inline constexpr double kLeastSessionBytes = 100'000;

// Rows of the table.
Formula memory_growth, session_memory, session_time;

}  // namespace ngb::metrics
