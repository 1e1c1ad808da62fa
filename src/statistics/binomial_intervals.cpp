// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "statistics/binomial_intervals.h"
#include "statistics/distributions.h"

namespace ngb::statistics {

namespace {

constexpr double kRounding = 1e-6;  // a rank this close to an integer is that integer

}  // namespace

PercentileInterval percentile_interval(std::span<const double> sorted, double q, double independent,
                                       double error_rate) {
  PercentileInterval found{.value = quantile_of_sorted(sorted, q)};
  const double of_each = static_cast<double>(sorted.size()) / independent;
  if (std::pow(1 - q, independent) <= error_rate / 2) {
    const double below = binomial_quantile(independent, q, error_rate / 2).value_or(0);
    found.low = sorted[static_cast<std::size_t>(below * of_each + kRounding)];
  }
  if (std::pow(q, independent) <= error_rate / 2) {
    const double reached = 1 + binomial_upper_quantile(independent, q, error_rate / 2).value_or(independent - 1);
    found.high = sorted[static_cast<std::size_t>(std::ceil(std::min(reached, independent) * of_each - kRounding)) - 1];
  }
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
