// SPDX-License-Identifier: Apache-2.0
// Numbers of all models of a group, or of a style, at one batch size, as the paper's figures 6, 8, 9 and 12 draw them.
#pragma once

#include <vector>

#include "metrics/series/series.h"

namespace ngb::metrics::series {

// Each has a row for each setting and batch size. A row has no value if one of its cells has none.

// Geometric mean over the group's models of their speed-ups.
std::vector<store::SeriesValue> family_batch_speed_up(const Analysis& analysis, const Part& part);
// The same of ASE; from batch 2 on.
std::vector<store::SeriesValue> family_batch_ase(const Analysis& analysis, const Part& part);
// The same of BSR; from batch 2 on.
std::vector<store::SeriesValue> family_batch_bsr(const Analysis& analysis, const Part& part);
// Means over the group's models of cpu_percent and of cpu_std_percent.
std::vector<store::SeriesValue> family_batch_cpu(const Analysis& analysis, const Part& part);
std::vector<store::SeriesValue> family_batch_cpu_within(const Analysis& analysis, const Part& part);
// 1 - geometric mean over the group's models of cpu_c / cpu_baseline.
std::vector<store::SeriesValue> family_batch_cpu_reduction(const Analysis& analysis, const Part& part);

// The part is that of all cells. Stacks of blocks belong to no style.
std::vector<store::SeriesValue> style_batch_speed_up(const Analysis& analysis, const Part& part);
std::vector<store::SeriesValue> style_batch_ase(const Analysis& analysis, const Part& part);
std::vector<store::SeriesValue> style_batch_bsr(const Analysis& analysis, const Part& part);

}  // namespace ngb::metrics::series
