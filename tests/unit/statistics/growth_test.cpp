// SPDX-License-Identifier: Apache-2.0
#include "statistics/growth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace ngb::statistics {
namespace {

// Returns the slope of y(x) at x = 10, 20, … 1000.
std::optional<double> slope_of(const std::function<double(double)>& y) {
  std::vector<Point> points;
  for (int i = 1; i <= 100; ++i) points.push_back({10.0 * i, y(10.0 * i)});
  return slope_after_knees(points);
}

TEST(Growth, IsThatOfALine) {
  EXPECT_DOUBLE_EQ(*slope_of([](double x) { return 7 + 3 * x; }), 3);
}

TEST(Growth, IsNoneOfWhatHasFilled) {
  EXPECT_EQ(*slope_of([](double x) { return 40'000 * std::min(x, 500.0); }), 0);
  EXPECT_NEAR(*slope_of([](double x) { return 1e7 * (1 - std::exp2(-x / 60)); }), 0, 100) << "166,667 at first";
}

TEST(Growth, IsWhatGoesOnBehindTheKnee) {
  EXPECT_NEAR(*slope_of([](double x) { return 40'000 * std::min(x, 500.0) + 1000 * x; }), 1000, 1e-6);
}

TEST(Growth, IsFoundBehindSeveralKnees) {
  EXPECT_NEAR(*slope_of([](double x) { return 90'000 * std::min(x, 100.0) + 9'000 * std::min(x, 400.0) + 500 * x; }),
              500, 1e-6);
}

TEST(Growth, DoesNotCountASingleStep) {
  EXPECT_EQ(*slope_of([](double x) { return x < 620 ? 0 : 300'000; }), 0);
}

TEST(Growth, IsThatOfAStaircaseOfPages) {
  EXPECT_NEAR(*slope_of([](double x) { return 4096 * std::floor(1000 * x / 4096); }), 1000, 10);
}

TEST(Growth, IsHeldThroughNoiseOfAHundredTimesWhatAnInferenceLeaves) {
  std::mt19937 draw(1);
  std::uniform_real_distribution<double> noise(0, 1e5);
  EXPECT_NEAR(*slope_of([&](double x) { return 1000 * x + noise(draw); }), 1000, 50);
}

TEST(Growth, NeedsEightPointsOfUnlikeX) {
  const std::vector<Point> seven{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 7}};
  EXPECT_EQ(slope_after_knees(seven), std::nullopt);
  EXPECT_EQ(slope_after_knees(std::vector<Point>(8, {1, 2})), std::nullopt);
}

}  // namespace
}  // namespace ngb::statistics
