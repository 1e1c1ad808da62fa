// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace ngb::worker {

// With true, the processor replaces subnormal operands and results by 0 in this thread from now on. With false, it
// works again as before the call with true. Does nothing on a processor other than x86-64 and AArch64. A library may
// change this again, also in its own threads.
void flush_subnormals(bool flush);

// Returns the processor time that this thread has used.
std::int64_t cpu_of_thread_ns();

// Returns whether subnormal numbers cost time, by parts that alternated: `usual_ns` and `flushed_ns` (subnormal numbers
// taken as 0) hold the processor time of a repetition of each part, which contains no wait for a processor. They do if
// there are at least seven parts of each kind, and in seven of eight pairs of them the usual one took over
// samples::kSubnormalCost as long. Whatever else changes the speed of single parts makes that of eight and eight equal
// parts in fewer than 1 of 190 cases (the distribution of Mann and Whitney's U: 67 of 12,870 orders).
bool subnormals_cost_time(const std::vector<std::int64_t>& usual_ns, const std::vector<std::int64_t>& flushed_ns);

}  // namespace ngb::worker
