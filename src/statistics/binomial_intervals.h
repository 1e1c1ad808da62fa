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

// Returns a quantile with the order statistics around it: `low` is the smallest value that more than a share f of all
// values do not exceed, where f is the largest share with P(B <= f·n) <= error_rate / 2; `high` is the smallest value
// that at least a share g does not exceed, where g is the smallest share with P(B >= g·n) <= error_rate / 2. B is
// binomial (n, q), continued between integers, and n is how many independent values these are worth
// (dependent_values.h). If all are independent, it contains the quantile in at least 1 - error_rate of cases.
// Preconditions: values in ascending order and not empty; 0 < q < 1; 0 <= independent <= their number.
PercentileInterval percentile_interval(std::span<const double> sorted, double q, double independent, double error_rate);
inline PercentileInterval percentile_interval(std::span<const double> sorted, double q) {
  return percentile_interval(sorted, q, static_cast<double>(sorted.size()), kErrorRate);
}

// Returns the smallest number of independent values of which the interval of a quantile has an upper end: n with q^n <=
// error_rate / 2.
std::size_t fewest_for_upper_end(double q, double error_rate = kErrorRate);

// Returns how many values MLPerf Inference's rules ask for before a percentile is told, if none is late: 64 for the
// 90th, 130 for the 95th, 662 for the 99th. For the 50th, which the rules do not have, it returns what the 90th needs.
constexpr std::size_t fewest_for_percentile(int percentile) {
  return percentile >= 99 ? 662 : percentile >= 95 ? 130 : 64;
}

// Returns the interval of Wilson (1927) for the share of which `successes` of `cases` is a sample. Unlike the interval
// of the normal distribution it stays within [0, 1] and has a width if all cases are alike. Preconditions: cases > 0,
// successes <= cases.
Interval wilson_interval(std::size_t successes, std::size_t cases, double error_rate = kErrorRate);

}  // namespace ngb::statistics
