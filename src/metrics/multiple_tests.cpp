// SPDX-License-Identifier: Apache-2.0
#include "metrics/multiple_tests.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace ngb::metrics {
namespace {

// Returns indices in ascending order of their p values; equal values keep their order.
std::vector<std::size_t> by_size(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  return order;
}

}  // namespace

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.size());
  double highest = 0;
  std::size_t left = p_values.size();
  for (const std::size_t index : by_size(p_values)) {
    highest = std::max(highest, static_cast<double>(left--) * p_values[index]);
    adjusted[index] = std::min(1.0, highest);
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg_adjusted(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.size());
  const std::vector<std::size_t> order = by_size(p_values);
  const auto count = static_cast<double>(p_values.size());
  double lowest = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t index = order[rank - 1];
    lowest = std::min(lowest, p_values[index] * count / static_cast<double>(rank));
    adjusted[index] = lowest;
  }
  return adjusted;
}

}  // namespace ngb::metrics
