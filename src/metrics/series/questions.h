// SPDX-License-Identifier: Apache-2.0
// Judges the questions of one kind of finding together.
#pragma once

#include <string>
#include <vector>

#include "metrics/series/findings.h"
#include "metrics/series/relation.h"
#include "statistics/verdict.h"

namespace ngb::metrics::series {

// One question: a ratio whose verdict becomes a row of a finding.
struct Asked {
  std::size_t cell = 0;  // whose setting and device the finding is about
  Relation relation{};
  FindingRow row{};  // all but value, outcome and adjusted_p
  Verdict verdict = Verdict::undecided;
};

struct KindWords {
  const char* above;  // "faster than {}", of the baseline
  const char* below;
  const char* same;
  const char* unit;  // "workloads": what is counted
};

// Judges all questions and fills in the rows. Returns whether the kind may say that something differs.
bool judge_together(const Analysis& analysis, std::vector<Asked>& asked);

// Returns a finding for each setting and device. `may_differ` is judge_together's value.
std::vector<Finding> findings_by_setting(const Analysis& analysis, const std::vector<Asked>& asked, const char* kind,
                                         const KindWords& words, bool may_differ);

}  // namespace ngb::metrics::series
