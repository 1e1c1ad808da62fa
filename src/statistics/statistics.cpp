// SPDX-License-Identifier: Apache-2.0
#include "statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ngb::statistics {

double scale_of(std::span<const double> values) {
  double largest = 0;
  for (const double each : values) largest = std::max(largest, std::fabs(each));
  return largest > 0 && std::isfinite(largest) ? std::scalbn(1.0, std::ilogb(largest)) : 1;
}

double mean(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (std::isfinite(sum)) return sum / count;
  const double scale = scale_of(values);
  return scale * (std::accumulate(values.begin(), values.end(), 0.0,
                                  [scale](double all, double value) { return all + value / scale; }) /
                  count);
}

std::optional<double> standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double scale = scale_of(values);
  const double middle = mean(values) / scale;
  const double squares = std::accumulate(values.begin(), values.end(), 0.0, [=](double sum, double value) {
    return sum + (value / scale - middle) * (value / scale - middle);
  });
  return scale * std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double quantile_of_sorted(std::span<const double> sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

}  // namespace ngb::statistics
