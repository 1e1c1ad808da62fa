// SPDX-License-Identifier: Apache-2.0
#include "statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ngb::statistics {

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

}  // namespace ngb::statistics
