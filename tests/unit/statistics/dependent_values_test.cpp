// SPDX-License-Identifier: Apache-2.0
#include "statistics/dependent_values.h"

#include <gtest/gtest.h>

#include <vector>

#include "statistics/binomial_intervals.h"

namespace ngb::statistics {
namespace {

// 1, 2, …, 20 again and again, so that each twenty values have the same share beyond any limit.
std::vector<double> alike(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(1 + i % 20);
  return values;
}

TEST(WorthOfValues, ThatDependOnNoneIsTheirNumber) {
  const Worth worth = worth_of(alike(100), {.processes = {20, 20, 20, 20, 20}}, 0.9);
  EXPECT_DOUBLE_EQ(worth.independent, 100);
  EXPECT_FALSE(worth.do_processes_differ);
}

// Of 64 values, 7 are beyond the 90th percentile, all of the slow process: its share has the residual 7 - 1.75, those
// of the others -1.75. 4/3 · (5.25² + 3 · 1.75²) / (64 · 7/64 · 57/64) = 7.86; t of 3 degrees is 3.1824, z is 1.9600.
TEST(WorthOfValues, OfProcessesThatDifferIsThatOfTheProcesses) {
  std::vector<double> values = alike(64);
  for (std::size_t i = 48; i < 64; ++i) values[i] = 2 * static_cast<double>(i);
  const Worth worth = worth_of(values, {.processes = {16, 16, 16, 16}}, 0.9);
  EXPECT_TRUE(worth.do_processes_differ);
  EXPECT_NEAR(worth.independent, 64 / 7.8596 * 0.37930, 1e-3);
}

// 100 values of which the greatest ten come in two periods of five: the residuals are 5 - 0.5 twice and -0.5 eighteen
// times. 20/19 · (2 · 4.5² + 18 · 0.5²) / (100 · 0.1 · 0.9) = 5.2632; t of one degree is 12.7062.
TEST(WorthOfValues, ThatComeInPeriodsFallsWithThePeriodsBeyondTheQuantile) {
  std::vector<double> values(100);
  for (std::size_t i = 0; i < 100; ++i) values[i] = static_cast<double>(i) / 1000;
  for (std::size_t i = 20; i < 25; ++i) values[i] = 1 + values[i];
  for (std::size_t i = 60; i < 65; ++i) values[i] = 1 + values[i];
  const Dependence dependence{.processes = {100}, .periods = std::vector<std::size_t>(20, 5)};
  EXPECT_NEAR(worth_of(values, dependence, 0.9).independent, 100 / 5.2632 * 0.023794, 1e-3);
}

TEST(WorthOfValues, IsNothingIfOnePeriodHasAllThatIsBeyondTheQuantile) {
  std::vector<double> values = alike(100);
  for (std::size_t i = 40; i < 50; ++i) values[i] = 100 + static_cast<double>(i);
  EXPECT_EQ(worth_of(values, {.processes = {100}, .periods = std::vector<std::size_t>(10, 10)}, 0.9).independent, 0);
}

TEST(WorthOfValues, IsAtMostWhatIsKnownBeforehand) {
  EXPECT_DOUBLE_EQ(worth_of(alike(100), {.processes = {100}, .least_design_effect = 4}, 0.9).independent, 25);
}

// A quarter of the 1,000 values: P(B of 250 >= 250) is 0.99^250 = 0.081.
TEST(PercentileInterval, OfDependentValuesIsThatOfAsManyAsTheyAreWorth) {
  std::vector<double> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
  EXPECT_FALSE(percentile_interval(values, 0.99, 250, 0.05).high);
  const auto whole = percentile_interval(values, 0.9);
  const auto quarter = percentile_interval(values, 0.9, 250, 0.05);
  EXPECT_NEAR((*quarter.high - *quarter.low) / (*whole.high - *whole.low), 2, 0.1);
  EXPECT_FALSE(percentile_interval(values, 0.9, 0, 0.05).low);
}

}  // namespace
}  // namespace ngb::statistics
