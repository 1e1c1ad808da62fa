// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/claims.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "made_up_series.h"

namespace ngb::metrics::series {
namespace {

using made_up::cell_with;

ClaimTest of_what_cannot_be_added(const Analysis& /*analysis*/, const Setting& setting) {
  return claimed_above({{}, "a cell would count in two parts"}, 2, setting);
}

TEST(Claims, AboutAQuantityThatCannotBeFormedAreNotMeasuredForItsReason) {
  const std::vector<store::CellData> cells{cell_with({.compiler = "identity"}, made_up::around(100)),
                                           cell_with({.compiler = "openvino"}, made_up::around(200))};
  const Analysis analysis = made_up::analysis_of(cells);
  const std::array claims{Claim{"impossible", "a sentence", "a quantity", "nowhere", of_what_cannot_be_added}};
  const std::vector<ClaimRow> rows = test_claims(analysis, claims);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].status, ClaimStatus::not_measured);
  EXPECT_EQ(rows[0].value.reason, "a cell would count in two parts");
}

}  // namespace
}  // namespace ngb::metrics::series
