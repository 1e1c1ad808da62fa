// SPDX-License-Identifier: Apache-2.0
#include "statistics/growth.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ngb::statistics {

namespace {

constexpr std::size_t kLeastBeforeKnee = 3;
constexpr double kShareLeft = 0.25;  // of the squares, if there is a knee

// Sums of points, from which the squares that a line leaves follow.
struct LineSums {
  double count = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;

  void add(const Point& point, double sign = 1) {
    count += sign;
    x += sign * point.x;
    y += sign * point.y;
    xx += sign * point.x * point.x;
    xy += sign * point.x * point.y;
    yy += sign * point.y * point.y;
  }
  // Returns the sum of the squared distances from the line of least squares.
  [[nodiscard]] double left() const {
    const double across = xx - x * x / count;
    const double along = xy - x * y / count;
    const double all = yy - y * y / count;
    return std::max(across > 0 ? all - along * along / across : all, 0.0);
  }
};

// Returns the index of the first point after the knee; 0 if there is none. At least `behind` points follow it.
std::size_t knee_of(std::span<const Point> points, std::size_t behind) {
  if (points.size() < behind + kLeastBeforeKnee) return 0;
  // Sums are of distances from the first point, because squares of large numbers would round small differences away.
  std::vector<Point> from_first;
  for (const Point& each : points) from_first.push_back({each.x - points[0].x, each.y - points[0].y});
  LineSums before;
  LineSums after;
  for (const Point& each : from_first) after.add(each);
  double least = kShareLeft * after.left();
  std::size_t knee = 0;
  for (std::size_t at = 0; at + behind < points.size(); ++at) {
    before.add(from_first[at]);
    after.add(from_first[at], -1);
    if (at + 1 < kLeastBeforeKnee || before.left() + after.left() >= least) continue;
    least = before.left() + after.left();
    knee = at + 1;
  }
  return knee;
}

// Returns the median of the slopes of all pairs; nothing if all have one x.
std::optional<double> median_slope(std::span<const Point> points) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      if (points[j].x > points[i].x) slopes.push_back((points[j].y - points[i].y) / (points[j].x - points[i].x));
    }
  }
  if (slopes.empty()) return std::nullopt;
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  if (slopes.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(slopes.begin(), middle)) / 2;
}

}  // namespace

std::optional<double> slope_after_knees(std::span<const Point> points) {
  if (points.size() < kLeastPoints) return std::nullopt;
  const std::size_t behind = std::max(kLeastPoints, points.size() / 5);
  while (const std::size_t knee = knee_of(points, behind)) points = points.subspan(knee);
  return median_slope(points);
}

}  // namespace ngb::statistics
