// SPDX-License-Identifier: Apache-2.0
// Numbers of all models of a group within a group of batch sizes, as in the paper's table VI, and the compilers that no
// other one dominates.
#pragma once

#include <vector>

#include "metrics/series/series.h"

namespace ngb::metrics::series {

// Each has a row for each setting and group of batch sizes. A row has no value if one of its cells has none.

// Mean over the cells of their throughput_mean_per_s.
std::vector<store::SeriesValue> family_throughput(const Analysis& analysis, const Part& part);
// Mean over the cells of their own throughput_std_per_s: the paper's ±.
std::vector<store::SeriesValue> family_throughput_within(const Analysis& analysis, const Part& part);
// Sample standard deviation over the cells of their throughput_mean_per_s.
std::vector<store::SeriesValue> family_throughput_between(const Analysis& analysis, const Part& part);
// Geometric mean over the cells of their speed-ups.
std::vector<store::SeriesValue> family_speed_up(const Analysis& analysis, const Part& part);
// Means over the cells of cpu_percent, of cpu_std_percent and of gpu_percent.
std::vector<store::SeriesValue> family_cpu(const Analysis& analysis, const Part& part);
std::vector<store::SeriesValue> family_cpu_within(const Analysis& analysis, const Part& part);
std::vector<store::SeriesValue> family_gpu(const Analysis& analysis, const Part& part);
// 1 - geometric mean over the cells of cpu_c / cpu_baseline.
std::vector<store::SeriesValue> family_cpu_reduction(const Analysis& analysis, const Part& part);

// How many settings dominate a cell among those of the same workload; a row for each cell of a workload with several.
std::vector<store::SeriesValue> dominating(const Analysis& analysis, const Part& part);

}  // namespace ngb::metrics::series
