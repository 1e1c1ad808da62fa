// SPDX-License-Identifier: Apache-2.0
#include "metrics/self_test.h"

#include <cmath>
#include <deque>

namespace ngb::metrics {
namespace {

// Returns the candidate with times that make its ratio to the baseline exp(log_ratio), as another build.
store::CellData slowed_candidate(const ComparedPair& pair, double log_ratio) {
  store::CellData cell = *pair.candidate;
  const double factor = std::exp(pair.judgement.contrast.estimate - log_ratio);
  for (store::RecordedProcess& process : cell.processes) {
    process.made_with.plugin_sha256 += " slowed";
    for (samples::Repetition& repetition : process.repetitions) {
      repetition.wall_ns = std::llround(static_cast<double>(repetition.wall_ns) * factor);
    }
  }
  return cell;
}

bool may_be_slowed(const ComparedPair& pair) {
  const statistics::Contrast& contrast = pair.judgement.contrast;
  const bool has_rounds = pair.judgement.adjusted_p.has_value();  // a test was possible
  return pair.status == PairStatus::judged && has_rounds && contrast.interval && contrast.degrees;
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
    slowed.push_back(slowed_candidate(pair, -std::log1p(rules.slower_ratio) - 2 * half_width));
    baseline.cells.push_back(pair.baseline);
    candidate.cells.push_back(&slowed.back());
  }
  result.slowed = slowed.size();
  if (slowed.empty()) return result;
  const auto again = compare(baseline, candidate, axis, comparison.rules);
  if (!again) return error_of(again);
  result.found = gate(*again, rules).slower;
  return result;
}

}  // namespace ngb::metrics
