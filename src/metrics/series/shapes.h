// SPDX-License-Identifier: Apache-2.0
// Numbers of each shape that the processes of a cell visit, and the cost of being compiled for any shape.
#pragma once

#include <vector>

#include "metrics/series/series.h"

namespace ngb::metrics::series {

// A row for each cell and shape: the mean over processes of the time of its first visit in the process, of the second,
// and of the median of those that count; geometric means.
std::vector<store::SeriesValue> first_visit(const Analysis& analysis, const Part& part);
std::vector<store::SeriesValue> second_visit(const Analysis& analysis, const Part& part);
std::vector<store::SeriesValue> later_visits(const Analysis& analysis, const Part& part);
// The memory that a process gains in a shape's first visit; an arithmetic mean.
std::vector<store::SeriesValue> visit_memory(const Analysis& analysis, const Part& part);
// The baseline's time of the later visits over the cell's, as a speed-up is.
std::vector<store::SeriesValue> visit_speed_up(const Analysis& analysis, const Part& part);

// Speed of a model that is compiled for any size, or padded, over that of the same one compiled for its own.
std::vector<store::SeriesValue> compiled_shapes(const Analysis& analysis, const Part& part);

}  // namespace ngb::metrics::series
