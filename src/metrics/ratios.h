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
// Adds weight · (a - b) likewise; values may be 0 and below. Precondition: neither list is empty.
void add_difference(std::vector<statistics::Part>& parts, const std::vector<OfRound>& a, const std::vector<OfRound>& b,
                    bool are_paired, double weight);
// Adds weight · log(T_a / T_b), from equally many repetitions of both (like_speeds). Precondition: both have a speed.
void add_speed_ratio(std::vector<statistics::Part>& parts, const Steady& a, const Steady& b, bool are_paired,
                     double weight);

// Returns the value and its ends times a factor.
Value scaled(Value value, double factor);

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

// Rows of the table.
Formula speed_up, rtr, ase, bsr, load_retention, speed_up_over_exact, instances_gain, margin, leaving_python,
    optimising_the_graph, cpu_reduction;

}  // namespace ngb::metrics
