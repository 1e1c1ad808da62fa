// SPDX-License-Identifier: Apache-2.0
// Counts the settings that are better than another one in speed and in what they cost.
#pragma once

#include <vector>

#include "metrics/series/series.h"

namespace ngb::metrics::series {

// Returns how many settings dominate a cell among those of the same workload; a row for each cell of a workload with
// several.
std::vector<store::SeriesValue> dominating(const Analysis& analysis, const Part& part);

}  // namespace ngb::metrics::series
