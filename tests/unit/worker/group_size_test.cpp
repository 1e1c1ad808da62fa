// SPDX-License-Identifier: Apache-2.0
#include "worker/repetitions.h"

#include <gtest/gtest.h>

namespace ngb::worker {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

TEST(GroupSize, StaysWhenARepetitionIsLongEnough) {
  EXPECT_EQ(next_group_size(1, kMillisecond, kMillisecond), 1U);
  EXPECT_EQ(next_group_size(12, 2 * kMillisecond, kMillisecond), 12U);
}

TEST(GroupSize, GrowsToOnePointTwoTimesTheMinimum) {
  EXPECT_EQ(next_group_size(1, 100'000, kMillisecond), 12U);
  EXPECT_EQ(next_group_size(10, 500'000, kMillisecond), 24U);
}

TEST(GroupSize, GrowsByAtLeastOneAndAtMostAThousandfold) {
  EXPECT_EQ(next_group_size(1, 999'999, kMillisecond), 2U);
  EXPECT_EQ(next_group_size(1, 1, kMillisecond), 1000U);
  EXPECT_EQ(next_group_size(5, 0, kMillisecond), 5000U);
  EXPECT_EQ(next_group_size(kMaxGroupSize, 1, kMillisecond), kMaxGroupSize);
}

TEST(GroupSize, OneRepetitionOfThreeTimesTheMinimumIsClearlyLong) {
  EXPECT_TRUE(is_clearly_long(3 * kMillisecond, kMillisecond));
  EXPECT_FALSE(is_clearly_long(2 * kMillisecond, kMillisecond));
}

}  // namespace
}  // namespace ngb::worker
