// SPDX-License-Identifier: Apache-2.0
// Gives error rates that hold although data are looked at after every round.
//
// The first look is after 3 rounds, the last after the largest number of rounds. Each look tests at the same nominal
// error rate, which is smaller than the total (Pocock, Group sequential methods in the design and analysis of clinical
// trials, 1977). Nominal rates for Student's t were found by simulation (tests/bench/trust/boundaries.py). An interval
// of that rate is a repeated confidence interval: it may be read at any look, whatever made the rounds end.
#pragma once

#include "statistics/statistics.h"

namespace ngb::statistics {

inline constexpr int kFirstLook = 3;      // rounds
inline constexpr int kMostLookedAt = 30;  // rounds; the simulation ends there

// Returns the error rate of each look with which all looks together err in at most `total` of the cases.
// Preconditions: 3 <= max_rounds <= 30; 0 < total <= 0.1.
double nominal_error_rate(int max_rounds, double total = kErrorRate);

// Returns the p value of all looks together, from the least p value of one look. Precondition: as above.
double p_of_all_looks(double least_p, int max_rounds);

}  // namespace ngb::statistics
