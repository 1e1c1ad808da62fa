// SPDX-License-Identifier: Apache-2.0
// The metrics that say what compiling and inferences cost: time, processors and energy.
#pragma once

#include "metrics/analysis.h"
#include "metrics/metric.h"

namespace ngb::metrics {

// Bits that compressing saves in a second. The paper names TCR/s and gives no formula.
Formula saved_bits;

// Samples, and bits that compressing saves, within the window of the goal (CellData::window_s), each process's own
// start included. They are 0 if a process takes longer than the window to start.
Formula samples_in_window, bits_in_window;

Formula compile_total, break_even, cpu_of_machine, cpu_of_threads, cpu_deviation, gpu_use;

// What one inference, which answers a whole batch, takes of the processor and of energy: what a phase of a process
// took, divided by the inferences of that same phase. Domains of energy overlap (a board contains its processor), so
// they are never added. Under a load energy is unknown, because the load takes some as well.
Formula cpu_per_inference, package_energy, net_package_energy, gpu_energy, board_energy, net_board_energy;

}  // namespace ngb::metrics
