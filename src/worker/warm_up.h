// SPDX-License-Identifier: Apache-2.0
// Which repetitions at the beginning are warm-up: a property of the data, found by a stated rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ngb::worker {

struct Transient {
  std::size_t count = 0;  // leading repetitions that are warm-up, at least 1 unless there is none at all
  bool is_over = false;   // what follows is steady; false: it still changes, count is the best guess
};

// 1. Let m be the median of the later half of the series and s = 1.4826 · the median of |t - m| over it (the robust
//    estimate of its standard deviation). The band is m ± max(3 s, 2 % of m).
// 2. The transient ends before the first repetition that lies in the band together with its successor. It has at least
//    one repetition. When the later half is reached without such a pair, it is not over, and everything is transient.
// 3. What remains must not be getting faster still: the median of its first half may exceed that of its second half by
//    at most 5 % or three standard errors of the difference of medians (1.2533 · s · sqrt(2 / length of a half)),
//    whichever is more. Otherwise the transient is not over and reaches to the middle of what remains.
// Getting slower is not warm-up: more of it cures nothing, and the spread shows it.
// With fewer than 6 repetitions there is nothing to judge by: one repetition is warm-up and it is over.
Transient find_transient(std::span<const std::int64_t> walls_ns);

}  // namespace ngb::worker
