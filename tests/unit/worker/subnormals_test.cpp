// SPDX-License-Identifier: Apache-2.0
#include "worker/subnormals.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace ngb::worker {
namespace {

TEST(Subnormals, AreZeroWhileTheyAreFlushed) {
  const volatile float small = 0x1p-126F;  // the smallest normal number
  const auto half = [&small] { return small * 0.5F; };
  const auto bits = [](float value) { return static_cast<int>(value * 0x1p127F); };
  EXPECT_EQ(bits(half()), 1);
  flush_subnormals(true);
  EXPECT_EQ(bits(half()), 0);
  flush_subnormals(false);
  EXPECT_EQ(bits(half()), 1);
}

// 64 pairs of parts, of which 56 have to differ by more than a quarter.
TEST(Subnormals, CostTimeWhereMostPartsAreQuickerWithoutThem) {
  const std::vector<std::int64_t> usual(8, 130);
  EXPECT_TRUE(subnormals_cost_time(usual, std::vector<std::int64_t>(8, 100)));
  EXPECT_FALSE(subnormals_cost_time(usual, std::vector<std::int64_t>(8, 104)));         // 1.25
  EXPECT_TRUE(subnormals_cost_time(usual, {100, 100, 100, 900, 100, 100, 100, 100}));   // 56 pairs
  EXPECT_FALSE(subnormals_cost_time(usual, {100, 100, 100, 900, 100, 100, 900, 100}));  // 48
  EXPECT_TRUE(subnormals_cost_time({130, 99, 130, 130, 130, 130, 130, 130}, std::vector<std::int64_t>(8, 100)));  // 56
  EXPECT_FALSE(subnormals_cost_time({130, 99, 130, 130, 130, 99, 130, 130}, std::vector<std::int64_t>(8, 100)));  // 48
}

TEST(Subnormals, AreNotToldByFewerThanSevenPartsOfEachKind) {
  const std::vector<std::int64_t> seven(7, 900);
  EXPECT_TRUE(subnormals_cost_time(seven, std::vector<std::int64_t>(7, 100)));
  EXPECT_FALSE(subnormals_cost_time(seven, std::vector<std::int64_t>(6, 100)));
  EXPECT_FALSE(subnormals_cost_time({900, 900, 900, 900, 900, 900}, std::vector<std::int64_t>(7, 100)));
}

}  // namespace
}  // namespace ngb::worker
