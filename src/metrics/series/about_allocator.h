// SPDX-License-Identifier: Apache-2.0
// Says in sentences what the C library's allocator does to a study's speed-ups, and to processes that should be alike.
#pragma once

#include <string>
#include <vector>

#include "metrics/analysis.h"

namespace ngb::metrics::series {

// Returns at most two sentences: on the processes of one cell that differ together with their page faults; and on
// speed-ups that would be more than 5 % others, and outside of their intervals, with the other setting of `allocator`,
// by what the first process of either side saw. Nothing is said where factors are not (gain of speed_words.h). Both
// name the cell of which it is most, and count the others.
std::vector<std::string> about_allocator(const Analysis& analysis);

}  // namespace ngb::metrics::series
