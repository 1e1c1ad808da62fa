// SPDX-License-Identifier: Apache-2.0
// Estimates how fast a quantity keeps growing that may have risen at first for reasons that end: memory that a library
// reserves once is told from memory that it loses again and again.
#pragma once

#include <optional>
#include <span>

namespace ngb::statistics {

struct Point {
  double x = 0;
  double y = 0;
};

// A slope needs this many points.
inline constexpr std::size_t kLeastPoints = 8;

// Returns the slope of the points after their last knee, or nothing for fewer than kLeastPoints or if all have one x. A
// knee is where two lines, each of least squares, leave less than a quarter of the squares that one line leaves; it is
// looked for again in what follows, as long as a fifth of the points and kLeastPoints are left behind it. The slope is
// the median of those of all pairs, so that single steps do not count. Source: Sen, Estimates of the regression
// coefficient based on Kendall's tau (1968). Precondition: x is in ascending order, all values are finite.
std::optional<double> slope_after_knees(std::span<const Point> points);

}  // namespace ngb::statistics
