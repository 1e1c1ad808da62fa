// SPDX-License-Identifier: Apache-2.0
#include "worker/stopping.h"

#include <gtest/gtest.h>

#include <vector>

namespace ngb::worker {
namespace {

using Series = std::vector<std::int64_t>;

TEST(FixedCount, IsMetByThatManySteadyRepetitions) {
  const FixedCount rule(3, "repetitions");
  const Series two = {1, 2};
  const Series three = {1, 2, 3};
  EXPECT_FALSE(rule.is_met({two, 0}));
  EXPECT_EQ(rule.check_again_after({two, 0}), 1U);
  EXPECT_TRUE(rule.is_met({three, 0}));
}

TEST(HalfWidth, IsMetWhenTheIntervalIsNarrowEnough) {
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
  EXPECT_EQ(rule.check_again_after({nine, 0}), 1U);
  const Series hundred(100, 1000);
  EXPECT_EQ(rule.check_again_after({hundred, 0}), 10U);
}

TEST(HalfWidth, IsNeverMetByTooFewForAnInterval) {
  const HalfWidth rule(0.01, 1);
  const Series five(5, 1000);
  EXPECT_FALSE(rule.is_met({five, 0}));
}

TEST(MaxTime, IsMetByTheClockAndIsCheckedAgainInTime) {
  const MaxTime rule(1000);
  const Series two = {100, 100};
  EXPECT_FALSE(rule.is_met({two, 200}));
  EXPECT_EQ(rule.check_again_after({two, 200}), 8U);
  EXPECT_TRUE(rule.is_met({two, 1000}));
}

TEST(StoppingRules, OfAPlainStudyAreTheNumberOfRepetitions) {
  const auto rules = stopping_rules(work::Protocol{});
  ASSERT_EQ(rules.size(), 1U);
  EXPECT_EQ(rules[0]->reason(), "repetitions");
}

TEST(StoppingRules, OfPrecisionModeReportTheFirstThatIsMet) {
  work::Protocol protocol;
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
