// SPDX-License-Identifier: Apache-2.0
#include "samples/steady_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::samples {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kMs = 1'000'000;

Repetition of(std::uint32_t instance, std::int64_t wall_ms, bool is_warm_up = false, std::uint32_t inferences = 1) {
  return {wall_ms * kMs, inferences, is_warm_up, {}, instance};
}

// Seven of 8 ms and one of 40 ms: 8 in 96 ms, although the mean of the rates is 112.5.
TEST(SpeedByTime, IsWhatAClockOnTheWallSays) {
  std::vector<Repetition> repetitions(7, of(0, 8));
  repetitions.push_back(of(0, 40));
  EXPECT_NEAR(speeds_by_time(repetitions).back(), 8 / 0.096, 1e-9);
  EXPECT_NEAR(speeds_by_time(repetitions)[6], 125, 1e-9) << "of the first seven";
}

TEST(SpeedByTime, WeighsRepetitionsOfSeveralInferencesByTheirTime) {
  EXPECT_NEAR(speeds_by_time(std::vector{of(0, 50, true), of(0, 10), of(0, 20, false, 4)}, 2).back(), 10 / 0.030, 1e-9);
}

// One instance is slow first, the other one last: each does 8 inferences in 96 ms, so both together 16.
TEST(SpeedByTime, OfInstancesIsTheSumOfTheirsWheneverEachIsSlow) {
  std::vector<Repetition> repetitions{of(0, 40)};
  for (int i = 0; i < 7; ++i) repetitions.push_back(of(0, 8));
  for (int i = 0; i < 7; ++i) repetitions.push_back(of(1, 8));
  repetitions.push_back(of(1, 40));
  EXPECT_NEAR(speeds_by_time(repetitions).back(), 16 / 0.096, 1e-9);
}

// The second instance has two repetitions: 100, then 3 in 55 ms, beside 50, then 2 in 60 ms.
TEST(SpeedByTime, OfInstancesHasAsManyStepsAsTheOneWithTheFewestRepetitions) {
  const std::vector<double> speeds =
      speeds_by_time(std::vector{of(0, 10), of(0, 20), of(0, 25), of(1, 30, true), of(1, 20), of(1, 40)});
  ASSERT_EQ(speeds.size(), 2U);
  EXPECT_NEAR(speeds[0], 150, 1e-9);
  EXPECT_NEAR(speeds[1], 3 / 0.055 + 2 / 0.060, 1e-9);
  EXPECT_THAT(speeds_by_time(std::vector{of(0, 10), of(1, 30, true)}), IsEmpty());
}

TEST(SteadyRates, AreBatchTimesInferencesOverTimeWithoutTheWarmUp) {
  EXPECT_THAT(steady_rates(std::vector{of(0, 50, true), of(0, 10), of(0, 20, false, 4)}, 2), ElementsAre(200, 400));
}

// 10 and 20 ms beside 20 and 40 ms: 100 + 50, then 50 + 25 inferences/s.
TEST(SteadyRates, OfInstancesAreTheSumsOfTheirRepetitionsInTurn) {
  EXPECT_THAT(steady_rates(std::vector{of(0, 90, true), of(0, 10), of(0, 20), of(1, 20), of(1, 40)}),
              ElementsAre(150, 75));
}

// 100, 50 and 40 beside 50 and 25: the second has two, so the first one's are parted into the first, and the other two.
TEST(SteadyRates, OfInstancesAreAsManyAsTheOneWithTheFewestHasAndUseAllRepetitions) {
  EXPECT_THAT(steady_rates(std::vector{of(0, 10), of(0, 20), of(0, 25), of(1, 30, true), of(1, 20), of(1, 40)}),
              ElementsAre(150, 70));
}

TEST(SteadyRates, OfInstancesAreNoneIfOneHasNoRepetitionThatCounts) {
  EXPECT_THAT(steady_rates(std::vector{of(0, 10), of(1, 30, true)}), IsEmpty());
  EXPECT_EQ(instances_of(std::vector{of(0, 10), of(1, 30, true)}), 2U);
  EXPECT_EQ(instances_of({}), 1U);
}

}  // namespace
}  // namespace ngb::samples
