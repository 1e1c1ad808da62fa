// SPDX-License-Identifier: Apache-2.0
#include "worker/stopping.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ngb::worker {

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

std::size_t FixedCount::check_again_after(const SoFar& so_far) const {
  return std::max<std::size_t>(repetitions_ - std::min(repetitions_, so_far.steady_ns.size()), 1);
}

bool HalfWidth::is_met(const SoFar& so_far) const {
  const std::size_t n = so_far.steady_ns.size();
  if (n < min_repetitions_) return false;
  const std::optional<RankInterval> ranks = median_ranks(n);
  if (!ranks) return false;
  std::vector<std::int64_t> sorted(so_far.steady_ns.begin(), so_far.steady_ns.end());
  std::sort(sorted.begin(), sorted.end());
  const double median = (static_cast<double>(sorted[(n - 1) / 2]) + static_cast<double>(sorted[n / 2])) / 2;
  const double width = static_cast<double>(sorted[ranks->high - 1] - sorted[ranks->low - 1]);
  return width / 2 <= ratio_ * median;
}

std::size_t HalfWidth::check_again_after(const SoFar& so_far) const {
  const std::size_t n = so_far.steady_ns.size();
  if (n < min_repetitions_) return min_repetitions_ - n;
  return std::max<std::size_t>(n / 10, 1);
}

std::size_t MaxTime::check_again_after(const SoFar& so_far) const {
  if (so_far.steady_ns.empty() || so_far.elapsed_ns <= 0) return 1;
  const double mean_ns = static_cast<double>(so_far.elapsed_ns) / static_cast<double>(so_far.steady_ns.size());
  return static_cast<std::size_t>(
      std::max(1.0, std::floor(static_cast<double>(max_ns_ - so_far.elapsed_ns) / mean_ns)));
}

std::vector<std::unique_ptr<StoppingRule>> stopping_rules(const work::Protocol& protocol) {
  std::vector<std::unique_ptr<StoppingRule>> rules;
  if (protocol.stop_when) {
    const auto& precision = *protocol.stop_when;
    rules.push_back(std::make_unique<HalfWidth>(precision.half_width_ratio,
                                                static_cast<std::size_t>(std::max(precision.min_repetitions, 1))));
    rules.push_back(std::make_unique<FixedCount>(static_cast<std::size_t>(std::max(precision.max_repetitions, 1)),
                                                 "max_repetitions"));
    rules.push_back(std::make_unique<MaxTime>(precision.max_ns));
  } else {
    rules.push_back(
        std::make_unique<FixedCount>(static_cast<std::size_t>(work::most_repetitions(protocol)), "repetitions"));
  }
  return rules;
}

const StoppingRule* first_met(std::span<const std::unique_ptr<StoppingRule>> rules, const SoFar& so_far) {
  const auto met = std::find_if(rules.begin(), rules.end(), [&](const auto& rule) { return rule->is_met(so_far); });
  return met == rules.end() ? nullptr : met->get();
}

}  // namespace ngb::worker
