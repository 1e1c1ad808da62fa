// SPDX-License-Identifier: Apache-2.0
// Says what the points of each line show: where it changed and why, what could have been found, and how its last point
// compares with those before.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/history/history.h"
#include "statistics/change_points.h"
#include "statistics/contrast.h"
#include "statistics/last_value.h"
#include "statistics/verdict.h"

namespace ngb::metrics::history {

// Contrasts are as those of metrics/comparison.h: a logarithm of a ratio of after and before, or a difference, above 0
// if the line got better.

// To what a change belongs. The identity (PyTorch eager) was measured in the same rounds, with a library of its own: a
// machine that became slower slows both.
enum class Cause {
  compiler,  // the line changed beside the identity
  machine,   // the identity changed likewise
  both,      // each has at least a quarter of the step
  unknown    // the reason says why
};
std::string_view name(Cause cause);  // "compiler", …

struct Change {
  std::size_t at = 0;  // index of the first point after it
  double statistic = 0;
  double p_value = 0;
  statistics::Contrast step{};  // of the points from here to the next change over those since the change before
  statistics::Verdict verdict = statistics::Verdict::undecided;  // of the step's interval and the margin
  Cause cause = Cause::unknown;
  std::string why_unknown{};
  std::optional<statistics::Contrast> of_identity{};      // its step between the same results
  std::optional<statistics::Contrast> beside_identity{};  // of the line over the identity
  std::vector<Difference> with{};  // what else changed, since the last point before it that has a value
};

// What the points of a line show.
struct Findings {
  std::vector<Change> changes{};
  std::size_t values = 0;                // points that have one
  std::optional<double> least_change{};  // in 80 % of cases it would have been found: a contrast above 0
  std::string why_no_changes{};          // too few points to find one; "" if there are enough
  statistics::LastJudgement last{};      // of the last point, over those since the last change
  std::size_t window = 0;                // points that it is compared with
};

// Returns the findings of each line, in their order; nothing is computed of lines that are not shown. Up to `threads`
// threads take part. The last points of all lines are judged together by the rules.
std::vector<Findings> findings_of(const History& history, const statistics::VerdictRules& rules, int threads);

// Returns what is to be said of the history as a whole, a sentence each: an order that is not the one given, clocks
// that jumped back, two machines under one name, gaps, lines of one point.
std::vector<std::string> remarks(const History& history);

}  // namespace ngb::metrics::history
