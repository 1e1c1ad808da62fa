// SPDX-License-Identifier: Apache-2.0
// Decides after each round whether two sides were compared often enough, with error rates that hold although the data
// are looked at after every round.
//
// The first look is after 3 rounds, the last after the largest number of rounds. Each look tests at the same nominal
// error rate, which is smaller than the total (Pocock, Group sequential methods in the design and analysis of clinical
// trials, 1977). Nominal rates for Student's t were found by simulation (tests/bench/trust/boundaries.py). An interval
// of that rate is a repeated confidence interval: it may be read at any look, whatever made the rounds end.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "statistics/statistics.h"

namespace ngb::statistics {

inline constexpr int kFirstLook = 3;      // rounds
inline constexpr int kMostLookedAt = 30;  // rounds; the simulation ends there

// Returns the error rate of each look with which all looks together err in at most `total` of the cases.
// Preconditions: 3 <= max_rounds <= 30; 0 < total <= 0.1.
double nominal_error_rate(int max_rounds, double total = kErrorRate);

// Returns the p value of all looks together, from the least p value of one look. Precondition: as above.
double p_of_all_looks(double least_p, int max_rounds);

enum class Decision { open, different, same };

struct Looks {
  int min_rounds = kFirstLook;  // no decision before
  int max_rounds = 15;
  double error_rate = kErrorRate;  // of one comparison, over all looks
  double margin_ratio = 0.03;      // the same: the interval of the ratio is within 1 ± this
};

// Returns what the looks at these log ratios of rounds, in the order of the rounds, have decided. A decision stays,
// whatever comes after it. Rounds that do not vary decide nothing.
Decision decide(std::span<const double> log_ratios, const Looks& looks);

// Returns how many rounds would likely decide it if mean and deviation stay as they are; empty if there are fewer than
// two rounds, if they do not vary, or if max_rounds would not suffice.
std::optional<int> rounds_to_decide(std::span<const double> log_ratios, const Looks& looks);

}  // namespace ngb::statistics
