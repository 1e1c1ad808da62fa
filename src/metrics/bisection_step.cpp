// SPDX-License-Identifier: Apache-2.0
#include "metrics/bisection_step.h"

#include <array>
#include <cmath>
#include <optional>

#include "metrics/gate.h"
#include "metrics/outcome.h"

namespace ngb::metrics {
namespace {

using samples::FailureKind;

// Returns whether the candidate's failure says nothing about what the version does: it did not load, or the device
// could not measure it.
bool is_beside_the_version(const store::CellData& candidate) {
  const samples::ProcessResult* failed = decisive_failure(candidate);
  const auto lost = lost_processes(candidate);
  if (failed == nullptr && !lost.empty()) failed = lost.front();
  if (failed == nullptr) return false;
  switch (failed->failure->kind) {
    case FailureKind::toolchain_missing:
    case FailureKind::import_error:
    case FailureKind::no_reference:
    case FailureKind::no_device:
    case FailureKind::no_profile:
    case FailureKind::device_lost:
    case FailureKind::disk_full:
      return true;
    default:
      return false;
  }
}

bool shows_change(const ComparedPair& pair, const BisectionRules& rules) {
  if (rules.fault != Fault::faster) return is_regression(pair, {.slower_ratio = rules.threshold_ratio});
  return !pair.is_same_build && pair.judgement.verdict == statistics::Verdict::faster &&
         pair.judgement.contrast.estimate > std::log1p(rules.threshold_ratio);
}

bool is_of_values(Fault fault) { return is_of_speed(fault) || fault == Fault::worse; }

// Returns how far from 0 the contrast of a version may be that does not show the fault.
double threshold_of(const ComparedPair& pair, const BisectionRules& rules) {
  return rules.fault == Fault::worse ? pair.by.limit() : std::log1p(rules.threshold_ratio);
}

Finding finding_of_values(const ComparedPair& pair, const BisectionRules& rules) {
  if (shows_change(pair, rules)) return Finding::bad;
  if (pair.is_same_build || pair.judgement.verdict != statistics::Verdict::undecided) return Finding::good;
  const auto& interval = pair.judgement.contrast.interval;
  const bool is_tested = pair.judgement.adjusted_p.has_value();  // else there are too few rounds
  if (!is_tested || !interval) return Finding::undecided;
  const double threshold = threshold_of(pair, rules);
  const bool is_beyond = rules.fault == Fault::faster ? interval->high < threshold : interval->low > -threshold;
  return is_beyond ? Finding::good : Finding::undecided;
}

Finding finding_of(const ComparedPair& pair, const BisectionRules& rules) {
  switch (pair.status) {
    case PairStatus::judged:
      return is_of_values(rules.fault) ? finding_of_values(pair, rules) : Finding::good;
    case PairStatus::newly_failed:
      if (is_beside_the_version(*pair.candidate)) return Finding::unusable;
      return rules.fault == Fault::fails ? Finding::bad : Finding::unusable;
    case PairStatus::newly_inaccurate:
    case PairStatus::agreement_fell:
      if (rules.fault == Fault::inaccurate || rules.by.is_by_inputs()) return Finding::bad;
      return rules.fault == Fault::fails ? Finding::good : Finding::unusable;
    case PairStatus::newly_measured:
    case PairStatus::both_failed:
    case PairStatus::not_measured_yet:
    case PairStatus::disturbed:
    case PairStatus::no_verdict:
      break;
  }
  return Finding::undecided;
}

// Returns how strongly a finding of one cell decides for the version; the highest decides.
int weight_of(Finding finding) {
  switch (finding) {
    case Finding::good:
      return 1;
    case Finding::unusable:
      return 2;
    case Finding::undecided:
      return 3;
    case Finding::bad:
      break;
  }
  return 4;
}

// Returns whether the ratio of `a` is further than that of `b` in the direction that is searched for.
bool has_further_ratio(const ComparedPair& a, const ComparedPair& b, Fault fault) {
  if (a.status != PairStatus::judged || b.status != PairStatus::judged) return false;
  const double difference = a.judgement.contrast.estimate - b.judgement.contrast.estimate;
  return fault == Fault::faster ? difference > 0 : difference < 0;
}

}  // namespace

std::string_view name(Fault fault) {
  constexpr std::array<std::string_view, 5> kNames{"slower", "fails", "inaccurate", "faster", "worse"};
  return kNames.at(static_cast<std::size_t>(fault));
}

std::string_view word_of(Finding finding, Fault fault) {
  constexpr std::array<std::string_view, 5> kGood{"not slower", "works", "accurate", "not faster", "not worse"};
  switch (finding) {
    case Finding::good:
      return kGood.at(static_cast<std::size_t>(fault));
    case Finding::bad:
      return name(fault);
    case Finding::undecided:
      return "undecided";
    case Finding::unusable:
      break;
  }
  return "stepped over";
}

bool is_of_speed(Fault fault) { return fault == Fault::slower || fault == Fault::faster; }

std::string identity_of(const ComparedPair& pair) { return identity_apart_from(Axis::version, *pair.candidate); }

bool has_failed_baseline(const ComparedPair& pair) {
  return pair.status == PairStatus::newly_measured || pair.status == PairStatus::both_failed;
}

BisectionStep judge_step(const Comparison& comparison, const BisectionRules& rules) {
  BisectionStep step;
  int weight = 0;
  for (const ComparedPair& pair : comparison.pairs) {
    if (!rules.cells.empty() && !rules.cells.contains(identity_of(pair))) continue;
    if (has_failed_baseline(pair)) {
      if (step.decisive == nullptr) step.decisive = &pair;
      continue;
    }
    const Finding finding = finding_of(pair, rules);
    if (finding == Finding::bad) step.bad_cells.insert(identity_of(pair));
    const bool decides = weight_of(finding) > weight ||
                         (weight_of(finding) == weight && has_further_ratio(pair, *step.decisive, rules.fault));
    if (!decides) continue;
    weight = weight_of(finding);
    step.finding = finding;
    step.decisive = &pair;
  }
  return step;
}

}  // namespace ngb::metrics
