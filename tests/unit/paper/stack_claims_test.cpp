// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../explain/made_up_stacks.h"
#include "paper/claims.h"

namespace ngb::paper {
namespace {

using metrics::series::ClaimStatus;
using report::StackClaimRow;
using testing::HasSubstr;

class StackClaims : public explain::StacksOfBlocks {
 protected:
  std::vector<StackClaimRow> claims() { return test_stacks(stacks()); }
};

TEST_F(StackClaims, BlocksFuseAloneIfEveryConvolutionIsOneKernelAndNoAttentionIsShared) {
  add_fused("conv_block", 3, {5});
  add_fused("mha_block", 2, {5});
  const StackClaimRow found = claims().front();
  EXPECT_EQ(found.row.status, ClaimStatus::holds);
  EXPECT_EQ(found.row.value.value, 1);
  EXPECT_EQ(found.numbers,
            "3 of 3 blocks of convolutions are one kernel; 0 of 2 kernels stand for two blocks of attention or more");
  EXPECT_THAT(found.row.cell_ids, testing::ElementsAre("conv_block3fast", "mha_block2fast"));
}

TEST_F(StackClaims, BlocksDoNotFuseAloneIfAttentionBlocksShareAKernel) {
  add_fused("conv_block", 3, {5});
  add("mha_block", 2, {{"blocks.0.in", "blocks.0.out", "blocks.0.act", "blocks.1.in", "blocks.1.out", "blocks.1.act"}},
      {5});
  EXPECT_EQ(claims().front().row.status, ClaimStatus::does_not);
}

TEST_F(StackClaims, FusionOfSomeBlocksIsUndecided) {
  add("conv_block", 2,
      {{"blocks.0.conv", "blocks.0.bn", "blocks.0.act"}, {"blocks.1.conv"}, {"blocks.1.bn"}, {"blocks.1.act"}}, {5});
  add_fused("mha_block", 2, {5});
  const StackClaimRow found = claims().front();
  EXPECT_EQ(found.row.status, ClaimStatus::undecided);
  EXPECT_EQ(found.row.value.value, 0.5);
}

TEST_F(StackClaims, FusionIsNotMeasuredWithoutAttention) {
  add_fused("conv_block", 2, {5});
  EXPECT_EQ(claims().front().row.status, ClaimStatus::not_measured);
  EXPECT_THAT(claims().front().row.value.reason, HasSubstr("needs profiles of conv_block and of mha_block"));
}

TEST_F(StackClaims, OverheadFallsIfABlockOfTheDeepestStackHasLessOfIt) {
  add_fused("conv_block", 1, {10, 10.1, 9.9});
  add_fused("conv_block", 8, {20, 20.2, 19.8});  // 2.5 µs for a block: a quarter
  const StackClaimRow found = claims().back();
  EXPECT_EQ(std::string(found.row.claim->name), "overhead_falls");
  EXPECT_EQ(found.row.status, ClaimStatus::holds);
  EXPECT_NEAR(*found.row.value.value, 0.25, 1e-9);
  EXPECT_LT(*found.row.value.high, 0.26);
  EXPECT_EQ(found.numbers,
            "outside of kernels for a block: conv_block width=8, batch 1: 10 µs at depth 1, 2.5 µs at depth 8");
}

TEST_F(StackClaims, OverheadDoesNotFallIfABlockHasAsMuchOrMore) {
  add_fused("conv_block", 1, {10, 10.1, 9.9});
  add_fused("conv_block", 4, {40, 40.4, 39.6});
  add_fused("conv_block", 1, {10, 10.1, 9.9}, "slow");
  add_fused("conv_block", 4, {80, 80.8, 79.2}, "slow");
  const auto rows = claims();
  EXPECT_EQ(rows[1].row.status, ClaimStatus::does_not) << "the same, within 3 %";
  EXPECT_NEAR(*rows[1].row.value.value, 1, 1e-9);
  EXPECT_EQ(rows[2].row.status, ClaimStatus::does_not);
  EXPECT_NEAR(*rows[2].row.value.value, 2, 1e-9);
}

TEST_F(StackClaims, OverheadIsUndecidedWithTwoProcessesAndNotMeasuredWithOneDepthOrWithoutAny) {
  add_fused("conv_block", 1, {10, 11});
  add_fused("conv_block", 4, {20, 21});
  EXPECT_EQ(claims().back().row.status, ClaimStatus::undecided);
  cells_.pop_back();
  EXPECT_EQ(claims().back().row.value.reason, "no stack of blocks was profiled at two depths");
  add_fused("conv_block", 4, {0, 21});
  EXPECT_THAT(claims().back().row.value.reason, HasSubstr("nothing is outside of them"));
}

TEST_F(StackClaims, OverheadIsNotMeasuredWhereTheProfileCostsTooMuch) {
  add_fused("conv_block", 1, {10, 10.1, 9.9});
  add_fused("conv_block", 4, {20, 21, 22});
  for (store::RecordedProcess& each : cells_.back().processes) each.profile->plain_ns = each.profile->profiled_ns / 1.2;
  EXPECT_EQ(claims().back().row.status, ClaimStatus::not_measured);
  EXPECT_THAT(claims().back().row.value.reason,
              HasSubstr("conv_block width=8: profiling costs 20 % of an inference, so most of what is outside"));
}

}  // namespace
}  // namespace ngb::paper
