// SPDX-License-Identifier: Apache-2.0
// Decides when to stop repeating, from the steady repetitions so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "work/job.h"

namespace ngb::worker {

struct SoFar {
  std::span<const std::int64_t> steady_ns{};  // wall time of each steady repetition, in the order run
  std::int64_t elapsed_ns = 0;                // sum over all repetitions of the timed phase, warm-up included
};

class StoppingRule {
 public:
  virtual ~StoppingRule() = default;
  // Returns the reason as ProcessResult::stop_reason stores it.
  [[nodiscard]] virtual std::string_view reason() const = 0;
  [[nodiscard]] virtual bool is_met(const SoFar& so_far) const = 0;
  // Returns how many more repetitions to run before the next check, at least 1. Called if the rule is not met.
  [[nodiscard]] virtual std::size_t check_again_after(const SoFar& so_far) const = 0;
};

class FixedCount final : public StoppingRule {
 public:
  FixedCount(std::size_t repetitions, std::string_view reason) : repetitions_(repetitions), reason_(reason) {}
  [[nodiscard]] std::string_view reason() const override { return reason_; }
  [[nodiscard]] bool is_met(const SoFar& so_far) const override { return so_far.steady_ns.size() >= repetitions_; }
  [[nodiscard]] std::size_t check_again_after(const SoFar& so_far) const override;

 private:
  std::size_t repetitions_;
  std::string_view reason_;
};

// HalfWidth is met if half the width of the median's 95 % rank interval is at most half_width_ratio of the median.
class HalfWidth final : public StoppingRule {
 public:
  HalfWidth(double ratio, std::size_t min_repetitions) : ratio_(ratio), min_repetitions_(min_repetitions) {}
  [[nodiscard]] std::string_view reason() const override { return "half_width"; }
  [[nodiscard]] bool is_met(const SoFar& so_far) const override;
  // Returns the number up to the minimum, then a tenth of those run: each check disturbs the measurement slightly.
  [[nodiscard]] std::size_t check_again_after(const SoFar& so_far) const override;

 private:
  double ratio_;
  std::size_t min_repetitions_;
};

class MaxTime final : public StoppingRule {
 public:
  explicit MaxTime(std::int64_t max_ns) : max_ns_(max_ns) {}
  [[nodiscard]] std::string_view reason() const override { return "max_time"; }
  [[nodiscard]] bool is_met(const SoFar& so_far) const override { return so_far.elapsed_ns >= max_ns_; }
  // Returns as many as fit into the remaining time at the mean pace so far.
  [[nodiscard]] std::size_t check_again_after(const SoFar& so_far) const override;

 private:
  std::int64_t max_ns_;
};

// Returns a protocol's rules in the order in which they are checked.
std::vector<std::unique_ptr<StoppingRule>> stopping_rules(const work::Protocol& protocol);

// Returns the first rule that is met, or null.
const StoppingRule* first_met(std::span<const std::unique_ptr<StoppingRule>> rules, const SoFar& so_far);

// Computes how well the repetitions of one process determine their median. Precision mode stops by it.

// The ranks count from 1.
struct RankInterval {
  std::size_t low = 0;
  std::size_t high = 0;
  bool operator==(const RankInterval&) const = default;
};

// Returns the ranks of the two order statistics of n values that bound the median with at least 95 % confidence: the
// narrowest pair by the exact binomial distribution (the sum of C(n, i) / 2^n for i from low to high - 1). Of equally
// narrow pairs it is the most likely to cover, then the higher. n = 100: 41 and 61. Returns nothing for n < 6, where no
// pair does.
// Source: Le Boudec, Performance Evaluation of Computer and Communication Systems, theorem 2.1.
std::optional<RankInterval> median_ranks(std::size_t n);

}  // namespace ngb::worker
