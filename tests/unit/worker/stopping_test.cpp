// SPDX-License-Identifier: Apache-2.0
#include "worker/stopping.h"

#include <gtest/gtest.h>

#include <vector>

namespace ngb::worker {
namespace {

using Series = std::vector<std::int64_t>;

// From the binomial table: n = 6: 1 - 2/64 = 96.9 % between the extremes; n = 9: ranks 2 and 8, 96.1 %;
// n = 10: ranks 2 and 9, 97.9 % (3 and 9 or 2 and 8 have 93.5 %); n = 100: ranks 41 and 61, 95.4 %.
TEST(MedianInterval, HasTheRanksOfTheBinomialTable) {
  EXPECT_FALSE(median_interval(5));
  const auto expect = [](std::size_t n, std::size_t low, std::size_t high) {
    const auto interval = median_interval(n);
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->low, low) << n;
    EXPECT_EQ(interval->high, high) << n;
  };
  expect(6, 1, 6);
  expect(9, 2, 8);
  expect(10, 2, 9);
  expect(100, 41, 61);
}

TEST(MedianInterval, GrowsWithTheRootOfManyRepetitions) {
  const auto interval = median_interval(1000);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(static_cast<double>(interval->high - interval->low), 2 * 0.98 * 31.62, 2.0);
}

TEST(FixedCount, IsMetByAsManySteadyRepetitions) {
  const FixedCount rule(3, "repetitions");
  const Series two = {1, 2};
  const Series three = {1, 2, 3};
  EXPECT_FALSE(rule.is_met({two, 0}));
  EXPECT_EQ(rule.look_again_after({two, 0}), 1U);
  EXPECT_TRUE(rule.is_met({three, 0}));
}

TEST(HalfWidth, IsMetWhenTheMedianIsKnownWellEnough) {
  const HalfWidth rule(0.01, 10);
  // Ranks 2 and 9 of ten: half of (1005 - 995) is 0.5 % of 1000.
  const Series close = {990, 995, 998, 999, 1000, 1000, 1001, 1002, 1005, 1100};
  const Series wide = {900, 950, 998, 999, 1000, 1000, 1001, 1002, 1050, 1100};
  EXPECT_TRUE(rule.is_met({close, 0}));
  EXPECT_FALSE(rule.is_met({wide, 0}));
}

TEST(HalfWidth, WaitsForItsMinimum) {
  const HalfWidth rule(0.01, 10);
  const Series nine(9, 1000);
  EXPECT_FALSE(rule.is_met({nine, 0}));
  EXPECT_EQ(rule.look_again_after({nine, 0}), 1U);
  const Series hundred(100, 1000);
  EXPECT_EQ(rule.look_again_after({hundred, 0}), 10U);
}

TEST(HalfWidth, IsNeverMetByTooFewForAnInterval) {
  const HalfWidth rule(0.01, 1);
  const Series five(5, 1000);
  EXPECT_FALSE(rule.is_met({five, 0}));
}

TEST(MaxTime, IsMetByTheClockAndLooksAgainInTime) {
  const MaxTime rule(1000);
  const Series two = {100, 100};
  EXPECT_FALSE(rule.is_met({two, 200}));
  EXPECT_EQ(rule.look_again_after({two, 200}), 8U);
  EXPECT_TRUE(rule.is_met({two, 1000}));
}

TEST(StoppingRules, OfAPlainStudyAreTheNumberOfRepetitions) {
  const auto rules = stopping_rules(samples::Protocol{});
  ASSERT_EQ(rules.size(), 1U);
  EXPECT_EQ(rules[0]->reason(), "repetitions");
}

TEST(StoppingRules, OfPrecisionModeGiveTheFirstReasonThatHolds) {
  samples::Protocol protocol;
  protocol.stop_when.emplace();
  protocol.stop_when->max_repetitions = 20;
  const auto rules = stopping_rules(protocol);
  const Series steady(20, 1000);
  EXPECT_EQ(first_met(rules, {steady, 0})->reason(), "half_width");
  Series jumping;
  for (int i = 0; i < 20; ++i) jumping.push_back(i % 2 == 0 ? 1000 : 2000);
  EXPECT_EQ(first_met(rules, {jumping, 0})->reason(), "max_repetitions");
  const Series few = {1000, 2000};
  EXPECT_EQ(first_met(rules, {few, 60'000'000'000})->reason(), "max_time");
  EXPECT_EQ(first_met(rules, {few, 1}), nullptr);
}

}  // namespace
}  // namespace ngb::worker
