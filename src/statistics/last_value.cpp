// SPDX-License-Identifier: Apache-2.0
#include "statistics/last_value.h"

#include <fmt/format.h>

#include <cmath>

#include "statistics/distributions.h"

namespace ngb::statistics {
namespace {

struct Predicted {
  double degrees = 0;
  double deviation = 0;  // of a further value from the mean of those before
};

// Judges a value of which chance is no part.
void conclude_exactly(LastJudgement& judgement, const VerdictRules& rules) {
  const double difference = *judgement.difference;
  judgement.verdict = std::abs(difference) <= rules.margin() ? Verdict::same
                      : difference > 0                       ? Verdict::faster
                                                             : Verdict::slower;
}

// Fills in the difference and its interval. Returns nothing, and the reason, if no test is possible.
std::optional<Predicted> predict(const LastValue& value, LastJudgement& judgement, const VerdictRules& rules) {
  const std::size_t count = value.before.size();
  if (count > 0) judgement.difference = value.sign * (value.last - mean(value.before));
  if (count > 0 && value.is_exact) {
    conclude_exactly(judgement, rules);
    return std::nullopt;
  }
  if (count < kLeastRounds) {
    judgement.reason = fmt::format("fewer than {} points before it", kLeastRounds);
    return std::nullopt;
  }
  const auto n = static_cast<double>(count);
  const Predicted predicted{n - 1, *standard_deviation(value.before) * std::sqrt(1 + 1 / n)};
  const auto quantile = students_t_quantile(predicted.degrees, 1 - rules.error_rate / 2);
  if (!(predicted.deviation > 0) || !quantile) {
    judgement.reason = "the points before it do not vary";
    return std::nullopt;
  }
  const double half_width = *quantile * predicted.deviation;
  judgement.interval = Interval{*judgement.difference - half_width, *judgement.difference + half_width};
  return predicted;
}

void conclude_on_last(LastJudgement& judgement, const VerdictRules& rules) {
  const Interval& interval = *judgement.interval;
  if (*judgement.adjusted_p < rules.error_rate) {
    judgement.verdict = *judgement.difference > 0 ? Verdict::faster : Verdict::slower;
  } else if (-rules.margin() < interval.low && interval.high < rules.margin()) {
    judgement.verdict = Verdict::same;
  } else if (interval.low > 0 || interval.high < 0) {
    judgement.reason = "it is outside of what is usual before it, but not among so many cells";
  } else {
    judgement.reason = "it is within what is usual before it, which is wider than the margin";
  }
}

}  // namespace

std::vector<LastJudgement> judge_last(std::span<const LastValue> values, const VerdictRules& rules) {
  std::vector<LastJudgement> judgements(values.size());
  std::vector<std::size_t> tested;
  std::vector<double> p_values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto predicted = predict(values[i], judgements[i], rules);
    if (!predicted) continue;
    const double t = std::abs(*judgements[i].difference) / predicted->deviation;
    const auto exceeds = students_t_exceeds(predicted->degrees, t);
    tested.push_back(i);
    p_values.push_back(exceeds ? 2 * *exceeds : 1);
  }
  const std::vector<double> adjusted =
      rules.adjustment == Adjustment::holm ? holm_adjusted(p_values) : benjamini_hochberg_adjusted(p_values);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    judgements[tested[i]].adjusted_p = adjusted[i];
    conclude_on_last(judgements[tested[i]], rules);
  }
  return judgements;
}

}  // namespace ngb::statistics
