// SPDX-License-Identifier: Apache-2.0
// Numbers of all models of a group or of a style: as in the paper's table VI, and as its figures 6, 8, 9 and 12 draw
// them.
#pragma once

#include <vector>

#include "metrics/series/series.h"

namespace ngb::metrics::series {

// The cells of one setting that a row is formed of.
enum class Pool {
  group,        // a group of models, within a group of batch sizes
  group_batch,  // a group of models, at one batch size
  style_batch   // a style of models without stacks of blocks, at one batch size; the part is that of all cells
};

// Each function returns a row for each setting and pool. A row has no value if one of its cells has none.

// Mean over the cells of a metric, and the sample standard deviation over them.
std::vector<store::SeriesValue> pooled_mean(const Analysis& analysis, const Part& part, Pool pool, const char* metric);
std::vector<store::SeriesValue> pooled_deviation(const Analysis& analysis, const Part& part, Pool pool,
                                                 const char* metric);
// Geometric means over the cells of their speed-ups, and of their ASE and BSR, which begin with batch 2.
std::vector<store::SeriesValue> pooled_speed_up(const Analysis& analysis, const Part& part, Pool pool);
std::vector<store::SeriesValue> pooled_ase(const Analysis& analysis, const Part& part, Pool pool);
std::vector<store::SeriesValue> pooled_bsr(const Analysis& analysis, const Part& part, Pool pool);
// 1 - geometric mean over the cells of cpu_c / cpu_baseline.
std::vector<store::SeriesValue> pooled_cpu_reduction(const Analysis& analysis, const Part& part, Pool pool);

}  // namespace ngb::metrics::series
