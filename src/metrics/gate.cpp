// SPDX-License-Identifier: Apache-2.0
#include "metrics/gate.h"

#include <array>
#include <cmath>

namespace ngb::metrics {
namespace {

bool is_shown_slower(const ComparedPair& pair) {
  return pair.status == PairStatus::judged && !pair.is_same_build && pair.judgement.verdict == Verdict::slower;
}

bool is_open(const ComparedPair& pair) {
  if (pair.status == PairStatus::not_measured_yet || pair.status == PairStatus::disturbed) return true;
  if (pair.status == PairStatus::no_verdict) return true;
  return pair.status == PairStatus::judged && !pair.is_same_build && pair.judgement.verdict == Verdict::undecided;
}

GateOutcome outcome_of_gate(const Gate& gate, bool has_judged) {
  if (!gate.regressions.empty()) return GateOutcome::failed;
  if (!has_judged) return GateOutcome::nothing_judged;
  return gate.undecided > 0 && gate.rules.fails_if_undecided ? GateOutcome::undecided : GateOutcome::passed;
}

}  // namespace

std::string_view name(GateOutcome outcome) {
  constexpr std::array<std::string_view, 4> kNames{"passed", "failed", "undecided", "nothing_judged"};
  return kNames.at(static_cast<std::size_t>(outcome));
}

bool is_regression(const ComparedPair& pair, const GateRules& rules) {
  if (pair.status == PairStatus::newly_failed || pair.status == PairStatus::newly_inaccurate) return true;
  if (pair.status == PairStatus::agreement_fell) return true;
  return is_shown_slower(pair) && pair.judgement.contrast.estimate < -std::log1p(rules.slower_ratio);
}

Gate gate(const Comparison& comparison, const GateRules& rules) {
  Gate made{.rules = rules, .undecided = comparison.baseline_only};
  bool has_judged = false;
  for (const ComparedPair& pair : comparison.pairs) {
    has_judged = has_judged || pair.status == PairStatus::judged;
    if (is_open(pair)) ++made.undecided;
    if (!is_regression(pair, rules)) {
      if (is_shown_slower(pair)) ++made.tolerated;
      continue;
    }
    made.regressions.push_back(&pair);
    ++(pair.status == PairStatus::newly_failed       ? made.newly_failed
       : pair.status == PairStatus::newly_inaccurate ? made.newly_inaccurate
       : pair.status == PairStatus::agreement_fell   ? made.agreement_fell
                                                     : made.slower);
  }
  made.outcome = outcome_of_gate(made, has_judged);
  return made;
}

}  // namespace ngb::metrics
