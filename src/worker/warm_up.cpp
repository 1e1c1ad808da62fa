// SPDX-License-Identifier: Apache-2.0
#include "worker/warm_up.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ngb::worker {
namespace {

constexpr std::size_t kEnoughToJudge = 6;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double median_of(std::span<const std::int64_t> values) {
  return median_of(std::vector<double>(values.begin(), values.end()));
}

double robust_deviation(std::span<const std::int64_t> values, double median) {
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const std::int64_t value : values) distances.push_back(std::fabs(static_cast<double>(value) - median));
  return 1.4826 * median_of(std::move(distances));
}

bool still_gets_faster(std::span<const std::int64_t> rest, double deviation) {
  const std::size_t half = rest.size() / 2;
  const double earlier = median_of(rest.first(half));
  const double later = median_of(rest.last(half));
  const double standard_error = 1.2533 * deviation * std::sqrt(2.0 / static_cast<double>(half));
  return earlier - later > std::max(0.05 * later, 3 * standard_error);
}

// Returns the transient of fewer than kEnoughToJudge repetitions, at least one.
std::size_t slow_start(std::span<const std::int64_t> walls_ns) {
  constexpr double kClearlySlower = 1.25;
  std::size_t first = 1;
  while (first + 1 < walls_ns.size() &&
         static_cast<double>(walls_ns[first]) > kClearlySlower * median_of(walls_ns.subspan(first + 1))) {
    ++first;
  }
  return first;
}

}  // namespace

Transient find_transient(std::span<const std::int64_t> walls_ns) {
  const std::size_t count = walls_ns.size();
  if (count < kEnoughToJudge) return {std::min(count, slow_start(walls_ns)), true};
  const auto later = walls_ns.subspan(count / 2);
  const double median = median_of(later);
  const double deviation = robust_deviation(later, median);
  const double band = std::max(3 * deviation, 0.02 * median);
  const auto is_inside = [&](std::size_t i) { return std::fabs(static_cast<double>(walls_ns[i]) - median) <= band; };
  std::size_t first = 0;
  while (first <= count / 2 && !(is_inside(first) && is_inside(first + 1))) ++first;
  if (first > count / 2) return {count, false};
  first = std::max<std::size_t>(first, 1);
  if (still_gets_faster(walls_ns.subspan(first), deviation)) return {first + (count - first) / 2, false};
  return {first, true};
}

}  // namespace ngb::worker
