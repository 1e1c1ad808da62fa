// SPDX-License-Identifier: Apache-2.0
#include "base/median.h"

#include <cmath>
#include <vector>

namespace ngb {
namespace {

// Returns C(n, i) / 2^n for i = 0 … n.
std::vector<double> binomial_halves(std::size_t n) {
  std::vector<double> probabilities(n + 1);
  double log_probability = -static_cast<double>(n) * std::log(2.0);
  for (std::size_t i = 0; i <= n; ++i) {
    probabilities[i] = std::exp(log_probability);
    log_probability += std::log(static_cast<double>(n - i)) - std::log(static_cast<double>(i + 1));
  }
  return probabilities;
}

}  // namespace

std::optional<RankInterval> median_ranks(std::size_t n) {
  constexpr double kConfidence = 0.95;
  if (n < 6) return std::nullopt;
  const std::vector<double> probabilities = binomial_halves(n);
  // `low` becomes the largest with P(X < low) <= 2.5 %, where X counts the values below the median; `high` mirrors it.
  std::size_t low = 0;
  double tail = 0;
  while (tail + probabilities[low] <= (1 - kConfidence) / 2) tail += probabilities[low++];
  const std::size_t high = n + 1 - low;
  const double confidence = 1 - 2 * tail;
  if (confidence - probabilities[low] >= kConfidence) ++low;
  return RankInterval{low, high};
}

}  // namespace ngb
