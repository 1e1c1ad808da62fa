// SPDX-License-Identifier: Apache-2.0
// Statistics of plain numbers. Preconditions: values are finite; those named "sorted" are in ascending order.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace ngb::statistics {

// Returns the power of two at or below the largest absolute value; 1 if all are 0 or none is finite. Numbers that were
// divided by it can be squared and added without overflow, and the division changes no digit.
double scale_of(std::span<const double> values);

// Precondition of both: not empty.
double mean(std::span<const double> values);
// Returns the sample standard deviation (n - 1); empty for fewer than two values.
std::optional<double> standard_deviation(std::span<const double> values);

// Quantile q in [0, 1] by linear interpolation between order statistics (Hyndman & Fan 1996, type 7; the default of
// numpy and pandas). Precondition: not empty.
double quantile_of_sorted(std::span<const double> sorted, double q);

// The share of cases in which an interval that is shown may miss the truth, and in which a verdict may be false.
inline constexpr double kErrorRate = 0.05;

struct Interval {
  double low = 0;
  double high = 0;
};

}  // namespace ngb::statistics
