// SPDX-License-Identifier: Apache-2.0
// The metrics that say what the phases of processes took: time, processor time and memory.
#pragma once

#include "metrics/analysis.h"
#include "metrics/metric.h"

namespace ngb::metrics {

// Totals of the tuning that the cell's processes worked on together.
Value tuning_time(const Analysis& analysis, std::size_t cell);  // s
Value tuning_trials(const Analysis& analysis, std::size_t cell);
// These count the processes that compiled: their median wall time without tuning in seconds, their number, their median
// processor time in seconds, and their highest resident memory in bytes.
Value compile_time(const Analysis& analysis, std::size_t cell);
Value compile_count(const Analysis& analysis, std::size_t cell);
Value compile_cpu(const Analysis& analysis, std::size_t cell);
Value compile_peak(const Analysis& analysis, std::size_t cell);
// The highest resident memory of the timed phase, in bytes.
Value timed_peak(const Analysis& analysis, std::size_t cell);
// The median wall time of loading what another process had compiled, in seconds.
Value load_time(const Analysis& analysis, std::size_t cell);
// The median time of the phases before the first outputs are there and checked, in seconds.
Value cold_start(const Analysis& analysis, std::size_t cell);

// The metrics that say what would be shipped to run a cell elsewhere: the largest of its processes' readings, which are
// equal unless a library was replaced.

Value model_size(const Analysis& analysis, std::size_t cell);
Value artifact_size(const Analysis& analysis, std::size_t cell);
Value runtime_size(const Analysis& analysis, std::size_t cell);
// The artifact, or the model of a compiler that writes none.
Value shipped_size(const Analysis& analysis, std::size_t cell);
Value disk_size(const Analysis& analysis, std::size_t cell);

}  // namespace ngb::metrics
