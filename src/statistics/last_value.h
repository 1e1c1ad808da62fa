// SPDX-License-Identifier: Apache-2.0
// Judges the last value of histories against the values just before it, between which nothing changed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "statistics/statistics.h"
#include "statistics/verdict.h"

namespace ngb::statistics {

struct LastValue {
  std::vector<double> before{};  // logarithms, or values of a quantity that is judged by its difference
  double last = 0;
  double sign = 1;        // 1 if higher is better, else -1
  bool is_exact = false;  // chance is no reason for a difference, as of sizes of files
};

struct LastJudgement {
  Verdict verdict = Verdict::undecided;
  std::optional<double> difference{};  // last - mean of those before, times the sign: above 0 the last one is better
  std::optional<Interval> interval{};  // of the difference
  std::optional<double> adjusted_p{};  // of "the last value is one of those before"
  std::string reason{};                // why it is undecided
};

// Returns a judgement for each, in their order. The interval is that of the difference between a further value and the
// mean of n values of one normal distribution: t(n - 1) · s · sqrt(1 + 1 / n); source: Hahn and Meeker, Statistical
// Intervals (1991), section 4.7. The p values are adjusted as the rules say, for all that are judged together. It is
// faster or slower if the adjusted p value is below the error rate, the same if the interval is within the margin.
// Fewer than kLeastRounds values before it leave it undecided. Precondition: all values are finite.
std::vector<LastJudgement> judge_last(std::span<const LastValue> values, const VerdictRules& rules);

}  // namespace ngb::statistics
