// SPDX-License-Identifier: Apache-2.0
// Intervals of percentiles and of shares, from the binomial distribution: nothing is assumed about how the values are
// distributed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "statistics/statistics.h"

namespace ngb::statistics {

struct PercentileInterval {
  double value = 0;             // as quantile_of_sorted
  std::optional<double> low{};  // nothing: there are too few values for this end
  std::optional<double> high{};
};

// Returns a quantile with the order statistics around it: `low` is the l-th smallest value and `high` the u-th, where
// l is the largest rank with P(B < l) <= error_rate / 2 and u the smallest with P(B >= u) <= error_rate / 2, B being
// binomial (n, q). Of independent values it contains the quantile in at least 1 - error_rate of cases. Preconditions:
// values in ascending order and not empty; 0 < q < 1.
PercentileInterval percentile_interval(std::span<const double> sorted, double q, double error_rate = kErrorRate);

// Returns the smallest number of values of which the interval of a quantile has an upper end: n with q^n <= error_rate
// / 2.
std::size_t fewest_for_upper_end(double q, double error_rate = kErrorRate);

// Returns the interval of Wilson (1927) for the share of which `successes` of `cases` is a sample. Unlike the interval
// of the normal distribution it stays within [0, 1] and has a width if all cases are alike. Preconditions: cases > 0,
// successes <= cases.
Interval wilson_interval(std::size_t successes, std::size_t cases, double error_rate = kErrorRate);

}  // namespace ngb::statistics
