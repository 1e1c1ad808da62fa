// SPDX-License-Identifier: Apache-2.0
#include "worker/warm_up.h"

#include <gtest/gtest.h>

#include <vector>

namespace ngb::worker {
namespace {

using Series = std::vector<std::int64_t>;

TEST(WarmUp, IsOneRepetitionOfASteadySeries) {
  const Transient transient = find_transient(Series(20, 1000));
  EXPECT_EQ(transient.count, 1U);
  EXPECT_TRUE(transient.is_over);
}

TEST(WarmUp, EndsWhereTheSeriesSettles) {
  const Transient transient =
      find_transient(Series{5000, 3000, 1500, 1000, 1001, 999, 1000, 1002, 998, 1000, 1001, 999});
  EXPECT_EQ(transient.count, 3U);
  EXPECT_TRUE(transient.is_over);
}

TEST(WarmUp, DoesNotEndAtASingleRepetitionThatHappensToFit) {
  const Transient transient =
      find_transient(Series{5000, 1000, 3000, 2000, 1000, 1001, 999, 1000, 1000, 1001, 999, 1000});
  EXPECT_EQ(transient.count, 4U);
}

TEST(WarmUp, MayBeFasterThanTheSteadyPart) {
  const Transient transient = find_transient(Series{800, 810, 820, 1000, 1001, 999, 1000, 1002, 998, 1000, 1001, 999});
  EXPECT_EQ(transient.count, 3U);
  EXPECT_TRUE(transient.is_over);
}

TEST(WarmUp, IgnoresOutliersOfTheSteadyPart) {
  const Transient transient =
      find_transient(Series{2000, 1000, 1001, 999, 5000, 1000, 1002, 998, 1000, 4000, 999, 1000});
  EXPECT_EQ(transient.count, 1U);
  EXPECT_TRUE(transient.is_over);
}

// The later half's spread is the band: 3 · 1.4826 · 100 around 1000 includes 1300.
TEST(WarmUp, AllowsTheSpreadOfTheSteadyPart) {
  const Transient transient = find_transient(Series{1300, 900, 1100, 900, 1100, 900, 1100, 900, 1100, 900, 1100, 900});
  EXPECT_EQ(transient.count, 1U);
  EXPECT_TRUE(transient.is_over);
}

TEST(WarmUp, IsNotOverWhileTheSeriesStillFalls) {
  Series falling;
  for (int i = 0; i < 20; ++i) falling.push_back(10'000 - 400 * i);
  EXPECT_FALSE(find_transient(falling).is_over);
}

TEST(WarmUp, IsNotOverWhenItReachesTheLaterHalf) {
  const Transient transient = find_transient(Series{900, 800, 700, 600, 500, 400, 300, 100, 100, 100, 100, 100});
  EXPECT_EQ(transient.count, 12U);
  EXPECT_FALSE(transient.is_over);
}

TEST(WarmUp, IsOverWhenTheSeriesGetsSlower) {
  Series rising;
  for (int i = 0; i < 20; ++i) rising.push_back(1000 + 5 * i);
  EXPECT_TRUE(find_transient(rising).is_over);
}

TEST(WarmUp, OfFewRepetitionsIsOneUnlessMoreAreClearlySlowerThanTheRest) {
  EXPECT_EQ(find_transient(Series{}).count, 0U);
  EXPECT_EQ(find_transient(Series{5000}).count, 1U);
  EXPECT_EQ(find_transient(Series{5000, 1000}).count, 1U);
  EXPECT_EQ(find_transient(Series{5000, 1000, 900, 800, 700}).count, 1U);
  EXPECT_EQ(find_transient(Series{5000, 1250, 1000, 1000}).count, 1U);
  EXPECT_EQ(find_transient(Series{5000, 1251, 1000, 1000}).count, 2U);
  EXPECT_EQ(find_transient(Series{5000, 5000, 5000, 1000, 1000}).count, 3U);
  EXPECT_TRUE(find_transient(Series{5000, 5000, 5000, 1000, 1000}).is_over);
}

TEST(WarmUp, OfFewRepetitionsDoesNotEndWithASlowOneAmongTheRest) {
  EXPECT_EQ(find_transient(Series{5000, 1000, 3000, 1000, 1000}).count, 1U);
  EXPECT_EQ(find_transient(Series{5000, 1000, 1000, 3000}).count, 1U);
}

}  // namespace
}  // namespace ngb::worker
