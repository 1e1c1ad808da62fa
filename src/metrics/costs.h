// SPDX-License-Identifier: Apache-2.0
// The metrics that say what compiling costs, when it pays, and how busy processor and GPU are.
#pragma once

#include "metrics/analysis.h"
#include "metrics/metric.h"

namespace ngb::metrics {

// compile_s + tuning_s, in seconds; compile_s alone for a cell that was not tuned.
Value compile_total(const Analysis& analysis, std::size_t cell);
// How many inferences it takes until the time that they save equals what compiling took longer than for the baseline; 0
// if compiling took no longer. Empty, with the reason, for a cell that is not told apart from its baseline or is
// slower. The interval is that of the speed-up.
Value break_even(const Analysis& analysis, std::size_t cell);
// Sample standard deviation over processes of the processor time per wall time, in percent of the machine.
Value cpu_deviation(const Analysis& analysis, std::size_t cell);
// Utilisation of the GPU at the end of the timed phase, in percent, mean over processes.
Value gpu_use(const Analysis& analysis, std::size_t cell);

}  // namespace ngb::metrics
