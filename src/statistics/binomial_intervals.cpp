// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "statistics/binomial_intervals.h"
#include "statistics/distributions.h"

namespace ngb::statistics {

PercentileInterval percentile_interval(std::span<const double> sorted, double q, double error_rate) {
  const auto n = static_cast<double>(sorted.size());
  PercentileInterval found{.value = quantile_of_sorted(sorted, q)};
  std::size_t low = static_cast<std::size_t>(n * q);
  while (low > 0 && binomial_at_most(n, q, static_cast<double>(low) - 1).value_or(1) > error_rate / 2) --low;
  std::size_t high = static_cast<std::size_t>(n * q) + 1;
  while (high <= sorted.size() && binomial_exceeds(n, q, static_cast<double>(high) - 1).value_or(1) > error_rate / 2)
    ++high;
  if (low > 0) found.low = sorted[low - 1];
  if (high <= sorted.size()) found.high = sorted[high - 1];
  return found;
}

std::size_t fewest_for_upper_end(double q, double error_rate) {
  return static_cast<std::size_t>(std::ceil(std::log(error_rate / 2) / std::log(q)));
}

Interval wilson_interval(std::size_t successes, std::size_t cases, double error_rate) {
  const auto n = static_cast<double>(cases);
  const double share = static_cast<double>(successes) / n;
  const double z = *normal_quantile(1 - error_rate / 2);
  const double centre = (share + z * z / (2 * n)) / (1 + z * z / n);
  const double half_width = z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  // At the ends rounding would leave them by less than an epsilon.
  return {successes == 0 ? 0 : std::max(0.0, centre - half_width),
          successes == cases ? 1 : std::min(1.0, centre + half_width)};
}

}  // namespace ngb::statistics
