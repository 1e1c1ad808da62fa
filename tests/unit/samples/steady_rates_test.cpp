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
