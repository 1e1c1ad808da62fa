// SPDX-License-Identifier: Apache-2.0
// Finds the leading repetitions that are warm-up: a property of the data, found by a stated rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ngb::worker {

struct Transient {
  std::size_t count = 0;  // leading repetitions that are warm-up: at least 1, unless there are none at all
  bool is_over = false;   // the rest is steady; if false it still changes, and count is the best guess
};

// Applies this rule:
// 1. Let m be the median of the later half of the series and s = 1.4826 · the median of |t - m| over it (the robust
//    estimate of its standard deviation). The band is m ± max(3 s, 2 % of m).
// 2. The transient ends before the first repetition that is in the band together with its successor, but has at least
//    one repetition. If there is no such pair before the later half, it is not over and everything is transient.
// 3. What remains must not become faster: the median of its first half may exceed that of its second half by at most
//    5 % or three standard errors of the difference of medians (1.2533 · s · sqrt(2 / length of a half)), whichever is
//    more. Otherwise the transient is not over and reaches to the middle of what remains.
// Becoming slower is not warm-up: more warm-up does not cure it, and the spread shows it.
// Fewer than 6 repetitions do not suffice for a spread. Their transient has at least one repetition, and ends before
// the first one that takes at most 1.25 times as long as the median of those behind it; the last one always ends it. It
// is over. Noise seldom passes 1.25: with a standard deviation of 10 % it makes a process of four repetitions 1 %
// longer. A slow start that lasts longer than all of them is not seen (the flag `few_repetitions`).
Transient find_transient(std::span<const std::int64_t> walls_ns);

}  // namespace ngb::worker
