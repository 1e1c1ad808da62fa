// SPDX-License-Identifier: Apache-2.0
// Decides whether a comparison passes a gate.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "metrics/comparison.h"

namespace ngb::metrics {

struct GateRules {
  // A slower candidate fails if its inferences take longer by more than this share; one that is worse by another
  // metric, if it is so by more than that metric's margin.
  double slower_ratio = 0.03;
  bool fails_if_undecided = false;
};

enum class GateOutcome {
  passed,
  failed,         // a pair is a regression
  undecided,      // no regression was shown, but no pair is decided, or the rules ask for all and not all are
  nothing_judged  // no pair can be judged, and none is a regression
};
std::string_view name(GateOutcome outcome);  // "passed", …

struct Gate {
  GateRules rules{};
  GateOutcome outcome = GateOutcome::passed;
  std::vector<const ComparedPair*> regressions{};  // in the order of the comparison, which must outlive the Gate
  std::size_t slower = 0;                          // of the regressions: shown to be slower, and beyond the threshold
  std::size_t worse = 0;                           // likewise, by another metric than the speed
  std::size_t tolerated = 0;                       // shown to be slower, but within the threshold; no regressions
  std::size_t tolerated_worse = 0;                 // likewise, by another metric and within its margin
  std::size_t newly_failed = 0;                    // of the regressions; the baseline has a speed
  std::size_t newly_inaccurate = 0;                // likewise
  std::size_t agreement_fell = 0;                  // likewise
  bool has_decided = false;                        // a pair has a verdict
  std::size_t undecided = 0;  // undecided and unmeasured pairs, and the baseline's cells without a partner
};

// The comparison should be adjusted by Holm: a gate has any false regression in at most 5 % of cases. A pair of the
// same build is never a regression.
Gate gate(const Comparison& comparison, const GateRules& rules);

// Returns whether the gate counts the pair as a regression.
bool is_regression(const ComparedPair& pair, const GateRules& rules);

// Shows with the measured data that a gate can fail.
struct SelfTest {
  std::size_t slowed = 0;  // pairs whose candidate was slowed
  std::size_t found = 0;   // of those, regressions of the gate
};

// Judges the comparison again with candidates whose times are lengthened: each judged pair with an interval and at
// least statistics::kLeastRounds rounds then has a ratio below 1 by the gate's threshold and twice the half width of
// its interval, and its rounds vary as before. `is_one_file`: both sides are from the same results file. Pairs of the
// same build count, because a slowed candidate is another build.
Result<SelfTest> self_test(const Comparison& comparison, bool is_one_file, Axis axis, const GateRules& rules);

}  // namespace ngb::metrics
