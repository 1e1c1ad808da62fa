// SPDX-License-Identifier: Apache-2.0
// The metrics that say what compiling and inferences cost: time, processors and energy.
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
// Processor time per wall time of the timed phase, in percent of the machine and of the threads that all instances may
// use together; mean over processes.
Value cpu_of_machine(const Analysis& analysis, std::size_t cell);
Value cpu_of_threads(const Analysis& analysis, std::size_t cell);
// Sample standard deviation over processes of the processor time per wall time, in percent of the machine.
Value cpu_deviation(const Analysis& analysis, std::size_t cell);
// Utilisation of the GPU at the end of the timed phase, in percent, mean over processes.
Value gpu_use(const Analysis& analysis, std::size_t cell);

// The metrics that say what one inference takes of the processor and of energy. An inference answers a whole batch.
// Each is what a phase of a process took, divided by the inferences of that same phase.

// Processor time of an inference, in seconds, over the process tree.
Value cpu_per_inference(const Analysis& analysis, std::size_t cell);

// Joules of an inference by one meter. Domains overlap (a board contains its processor), so they are never added. Under
// a load the value is unknown, because the load takes energy as well; it is unknown too if the timed phase is too short
// for the meter.
// The processor packages, by their counters (RAPL). Net: without what they took before the compiler was opened.
Value package_energy(const Analysis& analysis, std::size_t cell);
Value net_package_energy(const Analysis& analysis, std::size_t cell);
// The GPU, by its counter (NVML).
Value gpu_energy(const Analysis& analysis, std::size_t cell);
// The whole board, by the meter at its input (INA3221), read about once a second.
Value board_energy(const Analysis& analysis, std::size_t cell);
Value net_board_energy(const Analysis& analysis, std::size_t cell);

}  // namespace ngb::metrics
