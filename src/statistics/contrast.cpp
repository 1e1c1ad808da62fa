// SPDX-License-Identifier: Apache-2.0
#include "statistics/contrast.h"

#include <cmath>
#include <limits>

#include "statistics/distributions.h"

namespace ngb::statistics {
double Uncertainty::half_width(double error_rate) const {
  if (degrees == 0) return 0;
  const std::optional<double> t = students_t_quantile(degrees, 1 - error_rate / 2);
  return t ? *t * standard_error : std::numeric_limits<double>::infinity();
}

Uncertainty uncertainty_of(std::span<const double> deviations, std::span<const double> counts) {
  const double scale = scale_of(deviations);  // because fourth powers of deviations overflow above 1e77
  double variance = 0;
  double squares_per_degree = 0;
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    const double scaled = deviations[i] / scale;
    const double own = scaled * scaled / counts[i];
    variance += own;
    squares_per_degree += own * own / (counts[i] - 1);
  }
  return {scale * std::sqrt(variance), variance == 0 ? 0 : variance * variance / squares_per_degree};
}

Contrast contrast(std::span<const Part> parts, double error_rate) {
  Contrast result;
  std::vector<double> deviations;
  std::vector<double> counts;
  for (const Part& part : parts) {
    result.estimate += part.weight * mean(part.values);
    const std::optional<double> deviation = standard_deviation(part.values);
    if (!deviation) continue;
    deviations.push_back(part.weight * *deviation);
    counts.push_back(static_cast<double>(part.values.size()));
  }
  if (counts.size() < parts.size()) return result;
  const Uncertainty uncertainty = uncertainty_of(deviations, counts);
  result.standard_error = uncertainty.standard_error;
  if (uncertainty.degrees > 0) result.degrees = uncertainty.degrees;
  const double half_width = uncertainty.half_width(error_rate);
  result.interval = Interval{result.estimate - half_width, result.estimate + half_width};
  return result;
}

}  // namespace ngb::statistics
