// SPDX-License-Identifier: Apache-2.0
#include "statistics/last_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ngb::statistics {
namespace {

LastJudgement judged(const LastValue& value, const VerdictRules& rules = {}) {
  return judge_last(std::vector<LastValue>{value}, rules).front();
}

TEST(LastValue, HasTheIntervalOfAFurtherValue) {
  // scipy: mean 3, s = sqrt(2.5), t.ppf(0.975, 4) = 2.7764451; 2.7764451 · 1.5811388 · sqrt(1.2) = 4.8089440
  const LastJudgement judgement = judged({.before = {1, 2, 3, 4, 5}, .last = 10});
  EXPECT_DOUBLE_EQ(*judgement.difference, 7);
  ASSERT_TRUE(judgement.interval);
  EXPECT_NEAR(judgement.interval->low, 7 - 4.8089440, 1e-6);
  EXPECT_NEAR(judgement.interval->high, 7 + 4.8089440, 1e-6);
  EXPECT_EQ(judgement.verdict, Verdict::faster);
}

TEST(LastValue, IsSlowerIfLessIsBetterAndItIsMore) {
  EXPECT_EQ(judged({.before = {1, 2, 3, 4, 5}, .last = 10, .sign = -1}).verdict, Verdict::slower);
  EXPECT_DOUBLE_EQ(*judged({.before = {1, 2, 3, 4, 5}, .last = 10, .sign = -1}).difference, -7);
}

TEST(LastValue, IsTheSameIfTheIntervalIsWithinTheMargin) {
  const LastValue value{.before = {0.000, 0.001, 0.002, 0.001}, .last = 0.0015};
  EXPECT_EQ(judged(value).verdict, Verdict::same);
  EXPECT_EQ(judged(value, {.margin_ratio = 0.001}).verdict, Verdict::undecided);
}

TEST(LastValue, IsUndecidedWithAReason) {
  EXPECT_EQ(judged({.before = {1, 2}, .last = 1}).reason, "fewer than 3 points before it");
  EXPECT_EQ(judged({.before = {}, .last = 1}).reason, "fewer than 3 points before it");
  EXPECT_FALSE(judged({.before = {}, .last = 1}).difference);
  EXPECT_EQ(judged({.before = {1, 1, 1, 1}, .last = 2}).reason, "the points before it do not vary");
  EXPECT_EQ(judged({.before = {1, 2, 3, 4}, .last = 3}).reason,
            "it is within what is usual before it, which is wider than the margin");
}

TEST(LastValue, OfSizesIsExact) {
  EXPECT_EQ(judged({.before = {5}, .last = 5, .is_exact = true}, {.margin_ratio = 0}).verdict, Verdict::same);
  EXPECT_EQ(judged({.before = {5}, .last = 6, .sign = -1, .is_exact = true}, {.margin_ratio = 0}).verdict,
            Verdict::slower);
}

TEST(LastValue, IsJudgedAmongAllOthers) {
  // Alone its p value is 0.0155 (scipy: 2 · t.sf(7 / (1.5811388 · sqrt(1.2)), 4)); the least of 20 it becomes 0.31.
  std::vector<LastValue> values(20, {.before = {1, 2, 3, 4, 5}, .last = 3.1});
  values.front().last = 10;
  const auto judgements = judge_last(values, {});
  EXPECT_NEAR(*judgements.front().adjusted_p, 20 * 0.0155, 0.01);
  EXPECT_EQ(judgements.front().verdict, Verdict::undecided);
  EXPECT_EQ(judgements.front().reason, "it is outside of what is usual before it, but not among so many cells");
}

}  // namespace
}  // namespace ngb::statistics
