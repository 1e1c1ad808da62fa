// SPDX-License-Identifier: Apache-2.0
#include "worker/group_size.h"

#include <algorithm>
#include <cmath>

namespace ngb::worker {

std::uint32_t next_group_size(std::uint32_t inferences, std::int64_t fastest_ns, std::int64_t min_repetition_ns) {
  if (fastest_ns >= min_repetition_ns || inferences >= kMaxGroupSize) return inferences;
  const double now = inferences;
  const double wanted = std::ceil(now * 1.2 * static_cast<double>(min_repetition_ns) /
                                  static_cast<double>(std::max<std::int64_t>(fastest_ns, 1)));
  const double bounded = std::clamp(wanted, now + 1, std::min(now * 1000, static_cast<double>(kMaxGroupSize)));
  return static_cast<std::uint32_t>(bounded);
}

bool is_clearly_long(std::int64_t wall_ns, std::int64_t min_repetition_ns) { return wall_ns / 3 >= min_repetition_ns; }

}  // namespace ngb::worker
