// SPDX-License-Identifier: Apache-2.0
// Answers in a few sentences what a study asks: which compiler is the fastest, or the best by another metric, by how
// much, how sure that is, what is not decided and what would decide it, and what has no result.
#pragma once

#include <string>
#include <vector>

#include "metrics/analysis.h"
#include "metrics/metric.h"
#include "metrics/series/fastest.h"

namespace ngb::metrics::series {

inline constexpr std::size_t kMostAnswerLines = 5;

// Returns at most kMostAnswerLines sentences; none if nothing can be compared and nothing failed. `races` are those of
// the analysis (races_of), by which a compiler is the fastest or may be, or the best by a metric. Each sentence has the
// speed, or the metric, of the best that was measured, and by how much it is better (speed_words.h).
std::vector<std::string> answer(const Analysis& analysis, const std::vector<Race>& races, const Judged& by = {});

}  // namespace ngb::metrics::series
