// SPDX-License-Identifier: Apache-2.0
#include "metrics/gate.h"

#include <array>
#include <cmath>
#include <deque>

namespace ngb::metrics {

namespace {

bool is_shown_slower(const ComparedPair& pair) {
  return pair.status == PairStatus::judged && !pair.is_same_build &&
         pair.judgement.verdict == statistics::Verdict::slower;
}

bool is_open(const ComparedPair& pair) {
  if (pair.status == PairStatus::not_measured_yet || pair.status == PairStatus::disturbed) return true;
  if (pair.status == PairStatus::no_verdict) return true;
  return pair.status == PairStatus::judged && !pair.is_same_build &&
         pair.judgement.verdict == statistics::Verdict::undecided;
}

GateOutcome outcome_of_gate(const Gate& gate, bool has_judged) {
  if (!gate.regressions.empty()) return GateOutcome::failed;
  if (!has_judged) return GateOutcome::nothing_judged;
  const bool is_open = gate.rules.fails_if_undecided || !gate.has_decided;
  return gate.undecided > 0 && is_open ? GateOutcome::undecided : GateOutcome::passed;
}

}  // namespace

std::string_view name(GateOutcome outcome) {
  constexpr std::array<std::string_view, 4> kNames{"passed", "failed", "undecided", "nothing_judged"};
  return kNames.at(static_cast<std::size_t>(outcome));
}

bool is_regression(const ComparedPair& pair, const GateRules& rules) {
  if (pair.status == PairStatus::newly_failed || pair.status == PairStatus::newly_inaccurate) return true;
  if (pair.status == PairStatus::agreement_fell) return true;
  const double limit = pair.by.metric == nullptr ? std::log1p(rules.slower_ratio) : pair.by.limit();
  return is_shown_slower(pair) && pair.judgement.contrast.estimate < -limit;
}

Gate gate(const Comparison& comparison, const GateRules& rules) {
  Gate made{.rules = rules, .undecided = comparison.baseline_only};
  bool has_judged = false;
  for (const ComparedPair& pair : comparison.pairs) {
    has_judged = has_judged || pair.status == PairStatus::judged;
    if (is_open(pair)) ++made.undecided;
    made.has_decided = made.has_decided || (pair.status == PairStatus::judged && !is_open(pair));
    if (!is_regression(pair, rules)) {
      if (is_shown_slower(pair)) ++(pair.by.metric == nullptr ? made.tolerated : made.tolerated_worse);
      continue;
    }
    made.regressions.push_back(&pair);
    ++(pair.status == PairStatus::newly_failed       ? made.newly_failed
       : pair.status == PairStatus::newly_inaccurate ? made.newly_inaccurate
       : pair.status == PairStatus::agreement_fell   ? made.agreement_fell
       : pair.by.metric != nullptr                   ? made.worse
                                                     : made.slower);
  }
  made.outcome = outcome_of_gate(made, has_judged);
  return made;
}

namespace {

// Returns what was measured of the candidate with speeds whose ratio to the baseline is exp(log_ratio).
std::shared_ptr<const Measured> slowed_candidate(const ComparedPair& pair, double log_ratio) {
  const auto slowed = std::make_shared<Measured>(*pair.of_candidate);
  const double factor = std::exp(log_ratio - pair.judgement.contrast.estimate);
  for (OfRound& speed : slowed->steady.throughput_by_process) speed.value *= factor;
  for (std::vector<double>& speeds : slowed->steady.speeds_of_first) {
    for (double& speed : speeds) speed *= factor;
  }
  return slowed;
}

bool may_be_slowed(const ComparedPair& pair) {
  const statistics::Contrast& contrast = pair.judgement.contrast;
  const bool has_rounds = pair.judgement.adjusted_p.has_value();  // a test was possible
  return pair.by.metric == nullptr && pair.status == PairStatus::judged && has_rounds && contrast.interval &&
         contrast.degrees;
}

}  // namespace

Result<SelfTest> self_test(const Comparison& comparison, bool is_one_file, Axis axis, const GateRules& rules) {
  SelfTest result;
  std::deque<store::CellData> slowed;
  Side baseline{.origin = &comparison};
  Side candidate{.origin = is_one_file ? &comparison : nullptr};
  for (const ComparedPair& pair : comparison.pairs) {
    if (!may_be_slowed(pair)) continue;
    const statistics::Contrast& contrast = pair.judgement.contrast;
    const double half_width = contrast.interval->high - contrast.estimate;
    slowed.push_back(*pair.candidate);
    slowed.back().processes.front().made_with.plugin_sha256 += " slowed";  // another build
    baseline.cells.push_back(pair.baseline);
    baseline.measured.emplace(pair.baseline, pair.of_baseline);
    candidate.cells.push_back(&slowed.back());
    const double log_ratio = -std::log1p(rules.slower_ratio) - 2 * half_width;
    candidate.measured.emplace(&slowed.back(), slowed_candidate(pair, log_ratio));
  }
  result.slowed = slowed.size();
  if (slowed.empty()) return result;
  const auto again = compare(baseline, candidate, axis, comparison.rules);
  if (!again) return error_of(again);
  result.found = gate(*again, rules).slower;
  return result;
}

}  // namespace ngb::metrics
