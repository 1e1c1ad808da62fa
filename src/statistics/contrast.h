// SPDX-License-Identifier: Apache-2.0
// Computes every interval of a ratio or a difference: a contrast is a weighted sum of the means of independent lists of
// numbers, with an interval by Student's t. A ratio is the exponential of a contrast of logarithms.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "statistics/statistics.h"

namespace ngb::statistics {

// The uncertainty of a weighted sum of independent means.
struct Uncertainty {
  double standard_error = 0;
  double degrees = 0;  // of freedom; 0 if nothing varies, not a number if a deviation is not finite

  // Returns half the width of the two-sided interval of Student's t with this error rate; 0 if nothing varies, infinity
  // if the degrees of freedom are not a number.
  [[nodiscard]] double half_width(double error_rate) const;
};
// `deviations` holds each part's standard deviation times its weight, `counts` its number of values, each at least 2.
// Source: Welch (1947) and Satterthwaite (1946).
Uncertainty uncertainty_of(std::span<const double> deviations, std::span<const double> counts);

// A list of numbers, each from a different process or round. Two parts of a contrast share no number.
struct Part {
  std::vector<double> values{};
  double weight = 1;
};

struct Contrast {
  double estimate = 0;                     // Σ weight · mean
  std::optional<double> standard_error{};  // of the estimate; empty if a part has fewer than two values
  std::optional<double> degrees{};         // of freedom, positive; empty if no part varies or a deviation is not finite
  std::optional<Interval> interval{};      // the estimate itself if no part varies
};

// Precondition: at least one part, and in each part at least one value, all of them finite. With one part it is the t
// interval of a mean; if that part holds differences within rounds, it is the paired t interval. `error_rate` is that
// of the interval.
Contrast contrast(std::span<const Part> parts, double error_rate = kErrorRate);

}  // namespace ngb::statistics
