// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/relation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "made_up_series.h"

namespace ngb::metrics::series {
namespace {

using made_up::cell_with;

TEST(SumOfRelations, HasNoPartThatSharesACellWithAnother) {
  const std::vector<store::CellData> cells{cell_with({.compiler = "a"}, made_up::around(100)),
                                           cell_with({.compiler = "b"}, made_up::around(110, {0.001, 0, 0.002})),
                                           cell_with({.compiler = "c"}, made_up::around(120, {0, 0.003, 0}))};
  const Analysis analysis = made_up::analysis_of(cells);
  EXPECT_EQ(sum_of({log_ratio(analysis, 0, 1), log_ratio(analysis, 0, 2)}).reason,
            "a cell would count in two parts that are taken as independent");
  const Relation twice = sum_of({log_ratio(analysis, 0, 1, 0.5), log_ratio(analysis, 0, 1, 1.5)});
  ASSERT_EQ(twice.parts.size(), 1U);
  EXPECT_NEAR(*ratio_value(analysis, twice).low, std::pow(*ratio_value(analysis, log_ratio(analysis, 0, 1)).low, 2),
              1e-12);
}

}  // namespace
}  // namespace ngb::metrics::series
