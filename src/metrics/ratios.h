// SPDX-License-Identifier: Apache-2.0
// The metrics that have intervals: means over processes, and ratios that relate cells to each other. Each is computed
// from the means of the cells' processes on the log scale: T is their geometric mean, and the interval is that of
// contrast.h. Cells of one group (device, model, batch size) are paired round by round; other cells are independent of
// each other.
#pragma once

#include <vector>

#include "metrics/analysis.h"
#include "metrics/metric.h"
#include "statistics/contrast.h"

namespace ngb::metrics {

// Returns whether rounds measured both cells, one after the other, so that a disturbance of a round affected both: they
// have the same device, model and batch size. A variant is measured in other rounds than its exact model.
bool share_rounds(const store::CellData& a, const store::CellData& b);

// Returns log(a / b) of each round of one run and environment that holds both, in the order of `a`.
std::vector<double> log_ratios_of_rounds(const std::vector<OfRound>& a, const std::vector<OfRound>& b);

// Adds weight · log(a / b) to a contrast. It is paired if a and b share at least two rounds, else a and b are
// independent lists. Precondition: neither list is empty, and all values are above 0.
void add_log_ratio(std::vector<statistics::Part>& parts, const std::vector<OfRound>& a, const std::vector<OfRound>& b,
                   bool are_paired, double weight);
// Adds weight · log(T_a / T_b), from equally many repetitions of both (like_speeds). Precondition: both have a speed.
void add_speed_ratio(std::vector<statistics::Part>& parts, const Steady& a, const Steady& b, bool are_paired,
                     double weight);

// Returns the exponential of a contrast of logarithms and of its ends, divided by `divisor`.
Value ratio_of(const statistics::Contrast& contrast, double divisor = 1);

bool are_above_zero(const std::vector<OfRound>& values);

// Returns the geometric mean of one number of each process, with its interval. Precondition: there is at least one, and
// all are above 0.
Value geometric_mean(const std::vector<OfRound>& values, double error_rate);
// Returns the ends of a geometric mean of so many processes for the error rate `wanted`. They are known for the rate
// `given`, and are not narrowed. Precondition: all are above 0.
statistics::Interval widened(double mean, const statistics::Interval& ends, std::size_t processes, double given,
                             double wanted);

// T_c(b) / T_baseline(b)
Value speed_up(const Analysis& analysis, std::size_t cell);
// T_c(b) / T_c(1)
Value rtr(const Analysis& analysis, std::size_t cell);
// T_c(b) / (b · T_c(1))
Value ase(const Analysis& analysis, std::size_t cell);
// ASE_c(b) / ASE_baseline(b)
Value bsr(const Analysis& analysis, std::size_t cell);
// T_c(b) under the cell's load / T_c(b) without a load
Value load_retention(const Analysis& analysis, std::size_t cell);
// T_c(b) of a variant / T_c(b) of its exact model, with the same compiler and settings
Value speed_up_over_exact(const Analysis& analysis, std::size_t cell);
// T_c(b) of the cell's instances / T_c(b) of one
Value instances_gain(const Analysis& analysis, std::size_t cell);
// T_s(b) / T_s'(b), where s' is the fastest of the same compiler's other settings.
Value margin(const Analysis& analysis, std::size_t cell);
// T_without Python(b) / T_identity(b), of the cell's workload: what leaving Python gains.
Value leaving_python(const Analysis& analysis, std::size_t cell);
// T_c(b) / T_without Python(b): what optimising the graph gains. The product of both is the speed-up over the identity.
Value optimising_the_graph(const Analysis& analysis, std::size_t cell);
// 1 - cpu_c / cpu_baseline, in processor time per wall time of the timed phase.
Value cpu_reduction(const Analysis& analysis, std::size_t cell);

}  // namespace ngb::metrics
