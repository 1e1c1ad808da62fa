// SPDX-License-Identifier: Apache-2.0
// Finds where the level (or the spread) of a history changed, by E-divisive: Matteson and James, A nonparametric
// approach for multiple change point analysis of multivariate data, Journal of the American Statistical Association 109
// (2014). Nothing is assumed about how the values are distributed, but that values between two changes are
// exchangeable: a slow drift is reported as one or several steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "statistics/statistics.h"

namespace ngb::statistics {

// A change has this many values on either side of it.
inline constexpr std::size_t kLeastSegment = 3;
// In fewer values no change can be found: too few of their orders are as extreme as a step.
inline constexpr std::size_t kLeastHistory = 8;

struct ChangeRules {
  double error_rate = kErrorRate;  // share of histories without a change in which one is found
  int permutations = 499;
  std::uint64_t seed = 1;  // of the permutations: the same values and rules give the same changes
};

// The place at which the values of a segment differ most before and after it.
struct Split {
  std::size_t at = 0;    // index of the first value after the change
  std::size_t end = 0;   // the values before `end` are those that differ; it is the end of the segment or earlier
  double statistic = 0;  // n m / (n + m) · E of n values before and m after: equation 4 of the paper, with alpha = 1
};
// Returns the split of the largest statistic, the first of equal ones; nothing if there are fewer than 2 kLeastSegment
// values, or if no statistic is above 0. Takes time that grows with the square of their number. Precondition: the
// values are finite.
std::optional<Split> best_split(std::span<const double> values);

struct ChangePoint {
  std::size_t at = 0;    // index of the first value after the change
  double statistic = 0;  // of the split
  double p_value = 0;    // (1 + permutations with a split at least as large) / (1 + permutations)
};

// Returns the changes in the order of the values. The segment with the largest split is divided as long as its p value
// is below the error rate (section 3.1 of the paper): all segments are permuted within themselves, and their largest
// splits compared. Permutations end early once the p value cannot fall below the error rate any more (Besag and
// Clifford, Sequential Monte Carlo p-values, 1991); that changes no decision. Precondition: the values are finite.
std::vector<ChangePoint> change_points(std::span<const double> values, const ChangeRules& rules = {});

// Returns the least step, in the unit of `deviation`, that change_points finds in 80 % of histories of `count`
// independent normal values of this standard deviation, if it is in their middle; nothing below kLeastHistory. Found by
// simulation (tests/bench/trust/change_points.cpp); between its counts it is interpolated.
std::optional<double> least_change(std::size_t count, double deviation);

// Returns the standard deviation around the means of the segments that the changes divide the values into; nothing if
// no segment has two values. Precondition: the changes are those of these values.
std::optional<double> deviation_within(std::span<const double> values, std::span<const ChangePoint> changes);

}  // namespace ngb::statistics
