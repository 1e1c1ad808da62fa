// SPDX-License-Identifier: Apache-2.0
// The metrics that say what the phases of processes took, what would be shipped to run a cell elsewhere, and what a
// delegate computes of it.
#pragma once

#include <string_view>

#include "metrics/analysis.h"
#include "metrics/metric.h"

namespace ngb::metrics {

// Totals of the tuning that the cell's processes worked on together.
Formula tuning_time, tuning_trials;
Formula compile_time, compile_count, compile_cpu, compile_peak, timed_peak, load_time, cold_start, warm_start,
    first_inference;
// Returns the largest of the processes' readings of a quantity, or why there is none.
Value largest_reading(const Analysis& analysis, std::size_t cell, std::string_view quantity);

// The largest of the processes' readings, which are equal unless a library was replaced.
Formula model_size, artifact_size, runtime_size, shipped_size, disk_size;
// What the compiler's facts say of its delegate: operators that it computes, and those that it leaves.
Formula delegated, not_delegated;

}  // namespace ngb::metrics
