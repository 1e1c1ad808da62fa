// SPDX-License-Identifier: Apache-2.0
// Formats what `ngb compare` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "metrics/comparison.h"

namespace ngb::report {

struct CompareOptions {
  bool all = false;  // list pairs that are the same even if there are many
  int width = 100;   // columns of the terminal
  bool color = false;
};

// Returns "2 slower, 1 failed, 3 undecided, 114 same", without outcomes that do not occur.
std::string compare_summary(const metrics::Comparison& comparison);

// Returns the summary, then a row for each pair: slower, failed and undecided ones first. The sides differ in `axis`.
std::string compare_table(const metrics::Comparison& comparison, metrics::Axis axis, const CompareOptions& options);

// {"summary", "axis", "rules": {…}, "pairs": [{…, "status", "verdict", "ratio": {"value", "low", "high"}, …}],
// "baseline_only", "candidate_only"}; what is unknown is null.
nlohmann::json compare_json(const metrics::Comparison& comparison, metrics::Axis axis);

}  // namespace ngb::report
