// SPDX-License-Identifier: Apache-2.0
#include "base/bisection.h"

#include <bit>

namespace ngb {
namespace {

// Returns the entry nearest to the middle between two others that is not known to be unusable; of two the lower.
std::optional<std::size_t> nearest_to_middle(std::span<const std::optional<Finding>> findings, std::size_t low,
                                             std::size_t high) {
  const std::size_t middle = low + (high - low) / 2;
  const auto can_be_tried = [&](std::size_t i) { return i > low && i < high && findings[i] != Finding::unusable; };
  for (std::size_t distance = 0; distance < high - low; ++distance) {
    if (middle >= distance && can_be_tried(middle - distance)) return middle - distance;
    if (can_be_tried(middle + distance)) return middle + distance;
  }
  return std::nullopt;
}

std::size_t count_usable(std::span<const std::optional<Finding>> findings, std::size_t low, std::size_t high) {
  std::size_t count = 0;
  for (std::size_t i = low + 1; i < high; ++i) count += findings[i] != Finding::unusable ? 1U : 0U;
  return count;
}

}  // namespace

Bisection bisect(std::span<const std::optional<Finding>> findings) {
  Bisection state{.first_bad = findings.size() - 1};
  std::size_t low = 0;  // the highest entry that was good or undecided
  for (;;) {
    const std::optional<std::size_t> tried = nearest_to_middle(findings, low, state.first_bad);
    if (!tried || !findings[*tried]) {
      state.next = tried;
      break;
    }
    if (*findings[*tried] == Finding::bad) {
      state.first_bad = *tried;
      continue;
    }
    low = *tried;
    if (*findings[low] == Finding::good) state.last_good = low;
  }
  state.steps_left = static_cast<std::size_t>(std::bit_width(count_usable(findings, low, state.first_bad)));
  for (std::size_t i = state.last_good + 1; i < state.first_bad; ++i) {
    if (findings[i] == Finding::undecided) state.undecided.push_back(i);
    if (findings[i] == Finding::unusable) state.unusable.push_back(i);
  }
  return state;
}

}  // namespace ngb
