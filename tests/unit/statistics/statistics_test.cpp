// SPDX-License-Identifier: Apache-2.0
// Expected values: numpy 2 (quantile; std with ddof = 1).
#include "statistics/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace ngb::statistics {
namespace {

constexpr std::array<double, 8> kValues{2, 4, 4, 4, 5, 5, 7, 9};

TEST(Statistics, AgreeWithNumpy) {
  EXPECT_DOUBLE_EQ(mean(kValues), 5.0);
  EXPECT_DOUBLE_EQ(standard_deviation(kValues).value(), 2.138089935299395);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(kValues, 0.10), 3.4);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(kValues, 0.25), 4.0);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(kValues, 0.50), 4.5);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(kValues, 0.75), 5.5);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(kValues, 0.90), 7.6);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(kValues, 0.99), 8.86);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(kValues, 1.00), 9.0);
}

TEST(Statistics, HaveNoDeviationOfOneValue) { EXPECT_FALSE(standard_deviation(std::array{3.0})); }

}  // namespace
}  // namespace ngb::statistics
