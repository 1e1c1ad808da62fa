// SPDX-License-Identifier: Apache-2.0
#include "statistics/sequential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ngb::statistics {
namespace {

TEST(Looks, OneLookTestsAtTheWholeErrorRate) {
  EXPECT_NEAR(nominal_error_rate(3), 0.05, 1e-12);
  EXPECT_NEAR(nominal_error_rate(3, 0.01), 0.01, 1e-12);
}

// Reference: 4 million normal paths of another program (numpy, scipy): 0.00912 for rounds 3 … 15, 0.0231, 0.0160 and
// 0.0120 for at most 5, 7 and 10 rounds.
TEST(Looks, ThirteenLooksTestAtAboutAFifthOfTheErrorRate) {
  EXPECT_NEAR(nominal_error_rate(15), 0.00912, 0.00912 * 0.01);
  EXPECT_NEAR(nominal_error_rate(5), 0.0231, 0.0231 * 0.02);
  EXPECT_NEAR(nominal_error_rate(7), 0.0160, 0.0160 * 0.02);
  EXPECT_NEAR(nominal_error_rate(10), 0.0120, 0.0120 * 0.02);
  EXPECT_NEAR(nominal_error_rate(15, 0.01), 0.00147, 0.00147 * 0.02);
  EXPECT_NEAR(nominal_error_rate(15, 0.001), 0.00012, 0.00012 * 0.05);
}

TEST(Looks, BelowTheSimulatedRatesEachLookGetsAnEqualShare) {
  EXPECT_NEAR(nominal_error_rate(15, 1e-5), 1e-5 / 13, 1e-15);
}

TEST(Looks, ThePOfAllLooksIsTheInverseOfTheNominalRate) {
  for (const double total : {0.1, 0.05, 0.03, 0.01, 0.001, 0.0001}) {
    EXPECT_NEAR(p_of_all_looks(nominal_error_rate(15, total), 15), total, total * 1e-9) << total;
  }
  EXPECT_DOUBLE_EQ(p_of_all_looks(1, 15), 1);
  EXPECT_NEAR(p_of_all_looks(1e-7, 15), 13e-7, 1e-15);
}

TEST(Looks, ThePOfAllLooksGrowsWithTheLeastP) {
  double before = 0;
  for (double p = 1e-9; p < 1; p *= 1.1) {
    const double now = p_of_all_looks(p, 15);
    EXPECT_GE(now, before) << p;
    EXPECT_LE(now, 1) << p;
    before = now;
  }
}

// The critical t for 3 rounds at 0.00912 is 10.40 (scipy): a mean of 0.5 with a standard deviation of 0.05 has t
// = 17.3.
TEST(Decide, ALargeDifferenceIsDecidedAtTheFirstLook) {
  const std::vector<double> rounds{0.45, 0.50, 0.55};
  EXPECT_EQ(decide(rounds, {}), Decision::different);
  EXPECT_EQ(decide(std::vector(rounds.begin(), rounds.begin() + 2), {}), Decision::open);
}

// Mean 0.25, standard deviation 0.05: t = 8.66, p = 0.013, which a single test would accept.
TEST(Decide, WhatASingleTestWouldAcceptIsNotEnough) {
  EXPECT_EQ(decide(std::vector{0.20, 0.25, 0.30}, {}), Decision::open);
  EXPECT_EQ(decide(std::vector{0.20, 0.25, 0.30}, {.max_rounds = 3}), Decision::different);
}

// Mean 0, standard deviation 0.001: half width 10.4 · 0.001 / √3 = 0.006, below log(1.03) = 0.0296.
TEST(Decide, EqualSpeedsAreTheSameIfTheIntervalIsWithinTheMargin) {
  EXPECT_EQ(decide(std::vector{-0.001, 0.0, 0.001}, {}), Decision::same);
  EXPECT_EQ(decide(std::vector{-0.001, 0.0, 0.001}, {.margin_ratio = 0.005}), Decision::open);
}

TEST(Decide, ADecisionStaysWhateverComesAfterIt) {
  EXPECT_EQ(decide(std::vector{0.45, 0.50, 0.55, -3.0, 4.0}, {}), Decision::different);
}

TEST(Decide, NothingIsDecidedBeforeTheLeastNumberOfRounds) {
  EXPECT_EQ(decide(std::vector{0.45, 0.50, 0.55}, {.min_rounds = 4}), Decision::open);
}

TEST(Decide, RoundsThatDoNotVaryDecideNothing) {
  EXPECT_EQ(decide(std::vector{0.5, 0.5, 0.5}, {}), Decision::open);
  EXPECT_EQ(rounds_to_decide(std::vector{0.5, 0.5, 0.5}, {}), std::nullopt);
}

// With a hundred comparisons each may err in 0.0005 of the cases: nominal 5.98e-5, t 129 for 3 rounds.
TEST(Decide, AStricterErrorRateNeedsMoreRounds) {
  const std::vector<double> rounds{0.45, 0.50, 0.55};
  EXPECT_EQ(decide(rounds, {.error_rate = 0.0005}), Decision::open);
  EXPECT_EQ(rounds_to_decide(rounds, {.error_rate = 0.0005}), 5);
}

// Mean 0.25, standard deviation 0.05: for 4 rounds the half width is 6.03 · 0.05 / 2 = 0.151.
TEST(RoundsToDecide, IsTheLeastNumberWhoseIntervalWouldExcludeOne) {
  EXPECT_EQ(rounds_to_decide(std::vector{0.20, 0.25, 0.30}, {}), 4);
  EXPECT_EQ(rounds_to_decide(std::vector{-0.5, 0.0, 0.5}, {}), std::nullopt);
  EXPECT_EQ(rounds_to_decide(std::vector{0.2}, {}), std::nullopt);
}

}  // namespace
}  // namespace ngb::statistics
