// SPDX-License-Identifier: Apache-2.0
#include "statistics/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace ngb::statistics {
namespace {

// Returns `count` values around a level that differ as little as they can and are not equal.
void add_level(std::vector<double>& values, int count, double level) {
  for (int i = 0; i < count; ++i) values.push_back(level + 0.01 * (i % 3));
}

std::vector<std::size_t> places_of(const std::vector<ChangePoint>& changes) {
  std::vector<std::size_t> places;
  for (const ChangePoint& each : changes) places.push_back(each.at);
  return places;
}

// Normal values with a step in their middle.
std::vector<double> with_step(std::mt19937_64& random, std::size_t count, double step) {
  std::normal_distribution<double> normal;
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(normal(random) + (i >= count / 2 ? step : 0));
  return values;
}

TEST(ChangePoints, OfASplitHaveTheStatisticOfThePaper) {
  // Before: 0, 0, 3, whose three distances have the mean 2. After: 10, 10, 10, mean 0. Between: 10, 10, 7 each three
  // times, mean 9. So 3 · 3 / 6 · (2 · 9 - 2 - 0) = 24.
  const auto split = best_split(std::vector<double>{0, 0, 3, 10, 10, 10});
  ASSERT_TRUE(split);
  EXPECT_EQ(split->at, 3);
  EXPECT_EQ(split->end, 6);
  EXPECT_NEAR(split->statistic, 24, 1e-12);
}

TEST(ChangePoints, LookAtAPartOfTheValuesSoThatAChangeBackDoesNotHideOne) {
  std::vector<double> values;
  add_level(values, 6, 1);
  add_level(values, 6, 5);
  add_level(values, 6, 1);
  const auto split = best_split(values);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->at, 6);
  EXPECT_EQ(split->end, 12);
}

TEST(ChangePoints, AreNoneOfEqualOrTooFewValues) {
  EXPECT_FALSE(best_split(std::vector<double>(20, 7)));
  EXPECT_FALSE(best_split(std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_TRUE(change_points(std::vector<double>(100, 7)).empty());
  EXPECT_TRUE(change_points(std::vector<double>{1, 1, 1, 9, 9, 9, 9}).empty()) << "7 values";
  EXPECT_TRUE(change_points(std::vector<double>{}).empty());
}

TEST(ChangePoints, AreWhereTheLevelChanged) {
  std::vector<double> values;
  add_level(values, 10, 1);
  add_level(values, 12, 2);
  add_level(values, 8, 1.5);
  EXPECT_EQ(places_of(change_points(values)), (std::vector<std::size_t>{10, 22}));
}

TEST(ChangePoints, AreFoundInEightValues) {
  EXPECT_EQ(places_of(change_points(std::vector<double>{1, 1.01, 1.02, 1, 2, 2.01, 2.02, 2})),
            (std::vector<std::size_t>{4}));
}

TEST(ChangePoints, AreTheSameAtEachCallAndMayHaveAnotherSeed) {
  std::mt19937_64 random(5);
  const std::vector<double> values = with_step(random, 40, 2);
  const auto once = change_points(values);
  const auto again = change_points(values);
  ASSERT_EQ(once.size(), 1U);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(once.front().p_value, again.front().p_value);
  EXPECT_EQ(places_of(change_points(values, {.seed = 2})), places_of(once));
}

TEST(ChangePoints, HaveTheLeastPValueIfNoOtherOrderIsAsExtreme) {
  std::vector<double> values;
  add_level(values, 30, 1);
  add_level(values, 30, 3);
  const auto changes = change_points(values);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_DOUBLE_EQ(changes.front().p_value, 1.0 / 500);
}

TEST(ChangePoints, SayWhatWouldHaveBeenFound) {
  EXPECT_FALSE(least_change(7, 1));
  EXPECT_NEAR(*least_change(20, 2), 2 * 8.45 / std::sqrt(20), 1e-12);
  EXPECT_NEAR(*least_change(400, 1), 0.42, 1e-12) << "above 40 points it is 8.4 / the root";
  EXPECT_GT(*least_change(8, 1), *least_change(9, 1));
}

TEST(ChangePoints, FindTheLeastChangeInFourOfFiveHistories) {
  std::mt19937_64 random(11);
  for (const std::size_t count : {10U, 30U}) {
    int found = 0;
    for (int i = 0; i < 200; ++i)
      found += change_points(with_step(random, count, *least_change(count, 1))).empty() ? 0 : 1;
    EXPECT_NEAR(found / 200.0, 0.8, 0.085) << count << " values";  // three standard deviations of the share
  }
}

TEST(ChangePoints, DivideValuesForTheirDeviation) {
  const std::vector<double> values{1, 3, 11, 13};
  EXPECT_NEAR(*deviation_within(values, std::vector<ChangePoint>{{.at = 2}}), std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(*deviation_within(values, {}), *standard_deviation(values), 1e-12);
  EXPECT_FALSE(deviation_within(std::vector<double>{1}, {}));
}

}  // namespace
}  // namespace ngb::statistics
