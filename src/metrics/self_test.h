// SPDX-License-Identifier: Apache-2.0
// Shows with the measured data that a gate can fail.
#pragma once

#include <cstddef>

#include "metrics/gate.h"

namespace ngb::metrics {

struct SelfTest {
  std::size_t slowed = 0;  // pairs whose candidate was slowed
  std::size_t found = 0;   // of those, regressions of the gate
};

// Judges the comparison again with candidates whose times are lengthened: each judged pair with an interval and at
// least kLeastRounds rounds then has a ratio below 1 by the gate's threshold and twice the half width of its interval,
// and its rounds vary as before. `is_one_file`: both sides are from the same results file. Pairs of the same build
// count, because a slowed candidate is another build.
Result<SelfTest> self_test(const Comparison& comparison, bool is_one_file, Axis axis, const GateRules& rules);

}  // namespace ngb::metrics
