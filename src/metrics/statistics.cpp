// SPDX-License-Identifier: Apache-2.0
#include "metrics/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>

namespace ngb::metrics {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double middle = mean(values);
  const double squares = std::accumulate(values.begin(), values.end(), 0.0, [middle](double sum, double value) {
    return sum + (value - middle) * (value - middle);
  });
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double quantile_of_sorted(std::span<const double> sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

std::optional<std::pair<int, int>> median_ranks(int n) {
  constexpr double kConfidence = 0.95;
  if (n < 6) return std::nullopt;
  const boost::math::binomial_distribution<double> below(n, 0.5);  // how many of n values lie below the median
  // P(lower <= number below < upper): the median lies between the two order statistics.
  const auto covers = [&](int lower, int upper) {
    return boost::math::cdf(below, upper - 1) - boost::math::cdf(below, lower - 1) >= kConfidence;
  };
  for (int width = 1; width < n; ++width) {
    const int lower = (n + 1 - width + 1) / 2;  // the middle one, rounded up
    if (covers(lower, lower + width)) return std::pair{lower, lower + width};
  }
  return std::nullopt;
}

namespace {

// The rank-th smallest (rank from 1) by `before`. Only what lies before a pivot is selected from: the pivot, from the
// first few hundred values, leaves some 5 % of them. Falls back to all values where it leaves too few.
template <class Before>
double tail_value(std::span<const double> values, std::size_t rank, const Before& before) {
  std::vector<double> sample(values.begin(),
                             values.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(values.size(), 400)));
  const auto pivot = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 20);
  std::nth_element(sample.begin(), pivot, sample.end(), before);
  std::vector<double> tail;
  std::copy_if(values.begin(), values.end(), std::back_inserter(tail),
               [&](double value) { return before(value, *pivot); });
  if (tail.size() < rank) tail.assign(values.begin(), values.end());
  const auto wanted = tail.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(tail.begin(), wanted, tail.end(), before);
  return *wanted;
}

}  // namespace

Interval percentile_interval(std::span<const double> values) {
  const auto rank = static_cast<std::size_t>(0.025 * static_cast<double>(values.size() + 1));
  return {tail_value(values, rank, std::less<>{}), tail_value(values, rank, std::greater<>{})};
}

}  // namespace ngb::metrics
