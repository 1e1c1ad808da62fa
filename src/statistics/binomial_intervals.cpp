// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <ranges>

#include "statistics/binomial_intervals.h"
#include "statistics/distributions.h"

namespace ngb::statistics {

namespace {

constexpr double kRounding = 1e-6;  // a rank this close to an integer is that integer

// Returns the first rank from which on `holds` holds, or `end`.
template <class Holds>
std::size_t first_rank(std::size_t begin, std::size_t end, const Holds& holds) {
  const auto ranks = std::views::iota(begin, end);
  const auto found =
      std::ranges::partition_point(ranks, [&](std::size_t rank) { return !holds(static_cast<double>(rank)); });
  return begin + static_cast<std::size_t>(found - ranks.begin());
}

}  // namespace

PercentileInterval percentile_interval(std::span<const double> sorted, double q, double independent,
                                       double error_rate) {
  PercentileInterval found{.value = quantile_of_sorted(sorted, q)};
  const double of_each = static_cast<double>(sorted.size()) / independent;
  const auto count_at = [of_each](double rank) { return rank / of_each; };
  if (std::pow(1 - q, independent) <= error_rate / 2) {
    const std::size_t above = first_rank(1, sorted.size(), [&](double rank) {
      return binomial_at_most(independent, q, count_at(rank - kRounding)).value_or(1) > error_rate / 2;
    });
    found.low = sorted[above - 1];
  }
  if (std::pow(q, independent) <= error_rate / 2) {
    const std::size_t reached = first_rank(1, sorted.size(), [&](double rank) {
      return binomial_exceeds(independent, q, count_at(rank + kRounding) - 1).value_or(1) <= error_rate / 2;
    });
    found.high = sorted[reached - 1];
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
