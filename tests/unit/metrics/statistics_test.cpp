// SPDX-License-Identifier: Apache-2.0
// Expected values: scipy 1.16 and numpy 2 (binom.cdf over all pairs of ranks, of the narrowest the one that covers
// most, then the higher; quantile; std with ddof = 1).
#include "metrics/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace ngb::metrics {
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

TEST(MedianRanks, AreTheNarrowestThatCoverTheMedianWith95Percent) {
  struct Row {
    int n;
    std::pair<int, int> ranks;
  };
  constexpr std::array kExpected{Row{6, {1, 6}},     Row{7, {1, 7}},     Row{8, {2, 8}},      Row{10, {2, 9}},
                                 Row{12, {3, 10}},   Row{20, {6, 15}},   Row{50, {19, 33}},   Row{99, {40, 60}},
                                 Row{100, {41, 61}}, Row{101, {41, 61}}, Row{200, {87, 115}}, Row{1000, {470, 532}}};
  for (const Row& row : kExpected) EXPECT_EQ(median_ranks(row.n).value(), row.ranks) << "n = " << row.n;
}

TEST(MedianRanks, DoNotExistBelowSixValues) {
  EXPECT_FALSE(median_ranks(5));
  EXPECT_FALSE(median_ranks(0));
}

// 0 … 9,999 in an order that looks random: 7,919 has no factor in common with 10,000.
std::vector<double> shuffled() {
  std::vector<double> values(10'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 7919 % 10'000);
  return values;
}

TEST(PercentileInterval, TakesRanks250And9751Of10000) {
  const Interval interval = percentile_interval(shuffled());
  EXPECT_EQ(interval.low, 249.0);
  EXPECT_EQ(interval.high, 9750.0);
}

TEST(PercentileInterval, IsRightThoughTheFirstValuesMislead) {
  std::vector<double> values = shuffled();
  std::sort(values.begin(), values.end());
  EXPECT_EQ(percentile_interval(values).low, 249.0);
  EXPECT_EQ(percentile_interval(values).high, 9750.0);
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(percentile_interval(values).low, 249.0);
  EXPECT_EQ(percentile_interval(values).high, 9750.0);
}

TEST(PercentileInterval, OfEqualValuesIsThatValue) {
  const Interval interval = percentile_interval(std::vector<double>(10'000, 1.0));
  EXPECT_EQ(interval.low, 1.0);
  EXPECT_EQ(interval.high, 1.0);
}

}  // namespace
}  // namespace ngb::metrics
