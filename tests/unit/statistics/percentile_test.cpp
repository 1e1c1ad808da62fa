// SPDX-License-Identifier: Apache-2.0
#include "statistics/binomial_intervals.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace ngb::statistics {
namespace {

std::vector<double> one_to(int last) {
  std::vector<double> values(static_cast<std::size_t>(last));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

// P(B < 2) = 11 / 1024 = 0.011 and P(B < 3) = 56 / 1024 = 0.055; the other side is the same.
TEST(PercentileInterval, OfTheMedianOfTenIsFromTheSecondToTheNinth) {
  const auto found = percentile_interval(one_to(10), 0.5);
  EXPECT_EQ(found.value, 5.5);
  EXPECT_EQ(found.low, 2.0);
  EXPECT_EQ(found.high, 9.0);
}

// P(B <= 982) = 0.0138 and P(B <= 983) = 0.0264; P(B >= 996) = 0.0287 and P(B >= 997) = 0.0101.
TEST(PercentileInterval, OfATailIsWiderBelowItThanAbove) {
  const auto found = percentile_interval(one_to(1000), 0.99);
  EXPECT_NEAR(found.value, 990.01, 1e-9);
  EXPECT_EQ(found.low, 983.0);
  EXPECT_EQ(found.high, 997.0);
}

// 0.99^367 = 0.0250 (above it), 0.99^368 = 0.0248.
TEST(PercentileInterval, HasNoUpperEndOfTooFewValues) {
  EXPECT_FALSE(percentile_interval(one_to(367), 0.99).high);
  EXPECT_EQ(percentile_interval(one_to(368), 0.99).high, 368.0);
  EXPECT_EQ(fewest_for_upper_end(0.99), 368U);
  EXPECT_EQ(fewest_for_upper_end(0.5), 6U);  // 1 / 64
}

}  // namespace
}  // namespace ngb::statistics
