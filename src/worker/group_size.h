// SPDX-License-Identifier: Apache-2.0
// Groups short inferences into repetitions that are long compared with the clock's resolution.
#pragma once

#include <cstdint>

namespace ngb::worker {

inline constexpr std::uint32_t kMaxGroupSize = 1U << 30U;

// Returns the group size to use next. `fastest_ns` is the fastest repetition so far of `inferences` inferences. If it
// lasts at least min_repetition_ns, the size stays. Else the new size should last 1.2 times that, and is at most 1,000
// times the old one.
std::uint32_t next_group_size(std::uint32_t inferences, std::int64_t fastest_ns, std::int64_t min_repetition_ns);

// Returns whether one repetition proves that no grouping is needed, because it lasted three times the minimum.
bool is_clearly_long(std::int64_t wall_ns, std::int64_t min_repetition_ns);

}  // namespace ngb::worker
