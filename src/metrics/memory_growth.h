// SPDX-License-Identifier: Apache-2.0
// How much memory a process keeps of each inference, by its size at marks (samples/process_numbers.h).
#pragma once

#include "metrics/analysis.h"
#include "metrics/metric.h"

namespace ngb::metrics {

// Two growths that differ by less are the same: it is 100 MB in a million inferences.
inline constexpr double kLeastGrowthBytes = 100;

// Row of the table.
Formula memory_growth;

}  // namespace ngb::metrics
