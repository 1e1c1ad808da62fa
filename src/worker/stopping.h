// SPDX-License-Identifier: Apache-2.0
// When to stop repeating: rules that look at the steady repetitions so far.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "samples/job.h"

namespace ngb::worker {

struct SoFar {
  std::span<const std::int64_t> steady_ns{};  // wall time of each steady repetition, in the order run
  std::int64_t elapsed_ns = 0;                // sum over all repetitions of the timed phase, warm-up included
};

class StoppingRule {
 public:
  virtual ~StoppingRule() = default;
  // As in ProcessResult::stop_reason.
  [[nodiscard]] virtual std::string_view reason() const = 0;
  [[nodiscard]] virtual bool is_met(const SoFar& so_far) const = 0;
  // How many more repetitions to run before asking again, at least 1. Called when the rule is not met.
  [[nodiscard]] virtual std::size_t look_again_after(const SoFar& so_far) const = 0;
};

class FixedCount final : public StoppingRule {
 public:
  FixedCount(std::size_t repetitions, std::string_view reason) : repetitions_(repetitions), reason_(reason) {}
  [[nodiscard]] std::string_view reason() const override { return reason_; }
  [[nodiscard]] bool is_met(const SoFar& so_far) const override { return so_far.steady_ns.size() >= repetitions_; }
  [[nodiscard]] std::size_t look_again_after(const SoFar& so_far) const override;

 private:
  std::size_t repetitions_;
  std::string_view reason_;
};

// Half the width of the median's 95 % rank interval is at most half_width_ratio of the median.
class HalfWidth final : public StoppingRule {
 public:
  HalfWidth(double ratio, std::size_t min_repetitions) : ratio_(ratio), min_repetitions_(min_repetitions) {}
  [[nodiscard]] std::string_view reason() const override { return "half_width"; }
  [[nodiscard]] bool is_met(const SoFar& so_far) const override;
  // Up to the minimum, then a tenth more each time: looking disturbs, if only a little.
  [[nodiscard]] std::size_t look_again_after(const SoFar& so_far) const override;

 private:
  double ratio_;
  std::size_t min_repetitions_;
};

class MaxTime final : public StoppingRule {
 public:
  explicit MaxTime(std::int64_t max_ns) : max_ns_(max_ns) {}
  [[nodiscard]] std::string_view reason() const override { return "max_time"; }
  [[nodiscard]] bool is_met(const SoFar& so_far) const override { return so_far.elapsed_ns >= max_ns_; }
  // As many as fit at the mean pace so far.
  [[nodiscard]] std::size_t look_again_after(const SoFar& so_far) const override;

 private:
  std::int64_t max_ns_;
};

// The rules of a protocol, in the order in which they are asked.
std::vector<std::unique_ptr<StoppingRule>> stopping_rules(const samples::Protocol& protocol);

// The first rule that is met; null when none is.
const StoppingRule* first_met(std::span<const std::unique_ptr<StoppingRule>> rules, const SoFar& so_far);

// Ranks (from 1) of the two order statistics that enclose the median with a probability of at least 95 %, as close
// together as possible: the probability is the sum of C(n, i) / 2^n for i from low to high - 1 (sign test; Hahn and
// Meeker, Statistical Intervals, 5.2). Nothing for n < 6, where no pair does.
struct RankInterval {
  std::size_t low = 0;
  std::size_t high = 0;
};
std::optional<RankInterval> median_interval(std::size_t n);

}  // namespace ngb::worker
