// SPDX-License-Identifier: Apache-2.0
// How many inferences make up a repetition: short ones are grouped, so that a repetition is long against the clock.
#pragma once

#include <cstdint>

namespace ngb::worker {

inline constexpr std::uint32_t kMaxGroupSize = 1U << 30U;

// `fastest_ns`: the fastest repetition so far of `inferences` inferences. The size to go on with: the same when such a
// repetition takes min_repetition_ns or more, else one that should take 1.2 times that, at most 1,000 times the old.
std::uint32_t next_group_size(std::uint32_t inferences, std::int64_t fastest_ns, std::int64_t min_repetition_ns);

// One repetition is enough to know that grouping is not needed: it took three times as long as it must.
bool is_clearly_long(std::int64_t wall_ns, std::int64_t min_repetition_ns);

}  // namespace ngb::worker
