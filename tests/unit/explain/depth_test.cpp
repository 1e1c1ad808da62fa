// SPDX-License-Identifier: Apache-2.0
#include "explain/depth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up_stacks.h"

namespace ngb::explain {
namespace {

using testing::SizeIs;

using Depths = StacksOfBlocks;

TEST_F(Depths, AreAscendingWithKernelsAndTimesForABlock) {
  add_fused("conv_block", 4, {8, 12});
  add("conv_block", 1, {{"blocks.0.conv"}, {"blocks.0.bn", "blocks.0.act"}}, {5});
  const std::vector<Stack> found = stacks();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].name, "conv_block width=8");
  ASSERT_THAT(found[0].depths, SizeIs(2));
  const DepthPoint& single = found[0].shallowest();
  EXPECT_EQ(single.kernels, 2U);
  EXPECT_EQ(single.fused, 0);
  EXPECT_EQ(single.there, 1);
  EXPECT_NEAR(single.plain_ns_per_block().estimate, 24.5 * kUs,
              1e-6);  // two kernels, 5 µs outside, 0.5 µs of profiling
  const DepthPoint& deepest = found[0].deepest();
  EXPECT_EQ(deepest.depth, 4);
  EXPECT_EQ(deepest.fused, 4);
  EXPECT_NEAR(deepest.outside_ns_per_block().estimate, 2.5 * kUs, 1e-6);         // 10 µs over 4 blocks
  EXPECT_NEAR(deepest.plain_ns_per_block().estimate, 12.375 * kUs, 1e-6);        // 4 kernels of 10 µs, and 9.5 µs
  EXPECT_NEAR(*deepest.outside_ns_per_block().standard_error, 0.5 * kUs, 1e-6);  // sd 2.83 µs / √2 / 4 blocks
}

TEST_F(Depths, AKernelOfTwoProductsOfUnlikeBlocksIsAcrossBlocks) {
  add("mha_block", 2,
      {{"blocks.0.in"}, {"blocks.0.out", "blocks.0.act", "blocks.1.in"}, {"blocks.1.out", "blocks.1.act"}}, {5});
  EXPECT_EQ(stacks()[0].deepest().across_blocks, 1U);
  EXPECT_EQ(stacks()[0].deepest().with_nodes, 3U);
}

TEST_F(Depths, AKernelThatDoesANeighboursActivationIsNotAcrossBlocks) {
  add("mha_block", 2,
      {{"blocks.0.in"}, {"blocks.0.out"}, {"blocks.0.act", "blocks.1.in"}, {"blocks.1.out", "blocks.1.act"}}, {5});
  EXPECT_EQ(stacks()[0].deepest().across_blocks, 0U);
}

}  // namespace
}  // namespace ngb::explain
