// SPDX-License-Identifier: Apache-2.0
// Answers in a few sentences what a study asks: which compiler is the fastest, by how much, how sure that is, what is
// not decided and what would decide it, and what has no result.
#pragma once

#include <string>
#include <vector>

#include "metrics/analysis.h"
#include "metrics/metric.h"
#include "metrics/series/fastest.h"

namespace ngb::metrics::series {

inline constexpr std::size_t kMostAnswerLines = 5;

// Both take the races of the analysis (races_of), which are worth making once.

// Returns at most kMostAnswerLines sentences; none if nothing can be compared and nothing failed. A compiler is called
// the fastest only by the rules of about_fastest (fastest.h); else it "has the highest speed". Ratios are speed-ups
// over the baseline, where the fastest has one.
std::vector<std::string> answer(const Analysis& analysis, const std::vector<Race>& races);

// Who is the fastest on a workload of a device.
struct FastestRow {
  std::size_t cell = 0;       // of the analysis, with the highest speed
  std::size_t runner_up = 0;  // likewise, with the second highest
  bool is_decided = false;    // it is the fastest by the rule of answer(); else the two may be equal
  Value speed_up{};           // of `cell` over its baseline
  Value margin{};             // its speed / that of `runner_up`
};

// Returns a row for each workload with at least two speeds, in the order of their first cells.
std::vector<FastestRow> fastest_rows(const Analysis& analysis, const std::vector<Race>& races);

}  // namespace ngb::metrics::series
