// SPDX-License-Identifier: Apache-2.0
// Puts into words what became of each pair of a comparison. Every format of `ngb compare` uses these words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/compare/compare.h"

namespace ngb::report {

// In the order in which the pairs are listed.
enum class Outcome {
  slower,
  worse,  // by another metric than the speed
  failed,
  inaccurate,
  agreement_fell,
  undecided,
  faster,
  better,
  measured_now,
  same,
  same_build,
  both_failed,
  disturbed,
  not_measured,
  no_verdict
};
Outcome outcome_of(const metrics::ComparedPair& pair);
std::string_view word_of(Outcome outcome);  // "slower", "measured now", …

// Returns whether the candidate got worse.
bool is_bad(Outcome outcome);

// Returns the pairs by outcome; those of one outcome with the lowest ratio first.
std::vector<const metrics::ComparedPair*> worst_first(const metrics::Comparison& comparison);

// Returns the name of the candidate's cell: "resnet18, batch 1, on local: onnxruntime 1.31.1".
std::string name_of(const metrics::ComparedPair& pair);

// Returns the column of a ratio of two speeds for people, and an entry of it: a contrast is the log of a ratio.
Column ratio_column();
Entry ratio_of(const statistics::Contrast& contrast);
// Returns the column of CSV and JSON that has a "ratio" or a "difference" with its interval.
Column contrast_column(const std::string& name);
// Returns the metric of a judged pair's candidate over that of its baseline, whether more of it is better or less; of
// one that is judged by a difference, the candidate's less the baseline's, in its unit.
Entry contrast_of(const statistics::Contrast& contrast, const metrics::Judged& by);
// Returns a contrast of a pair that is judged so for people: 1.10 [1.09, 1.11], or a difference: +1.04 kB [1.03 kB,
// 1.05 kB].
Entry shown_contrast(const statistics::Contrast& contrast, const metrics::Judged& by);

// Returns why a pair has this outcome and what would decide it: "the interval contains 1 and is wider than the margin:
// 4 more rounds, 3 min"; "" if nothing needs to be said. Of a failed pair, it says which side failed, how.
std::string why(const Compared& compared, const metrics::ComparedPair& pair);

// Returns what is to be said about the comparison as a whole, a sentence each: the outcome of the gate, the noise of
// each device, how the verdicts were made, cells without a partner.
std::vector<std::string> remarks(const Compared& compared);

}  // namespace ngb::report
