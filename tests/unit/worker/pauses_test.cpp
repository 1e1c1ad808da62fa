// SPDX-License-Identifier: Apache-2.0
#include "worker/pauses.h"

#include <gtest/gtest.h>

#include <chrono>

namespace ngb::worker {
namespace {

constexpr double kMaxWaitRatio = 0.05;

std::chrono::nanoseconds settling_of(int threads) {
  Pauses pauses([] { return true; }, threads, kMaxWaitRatio);
  pauses.begin();
  EXPECT_TRUE(pauses.settle());
  return std::chrono::nanoseconds(pauses.wall_ns());
}

// The kernel counts a wait when it ends: with 250 ticks a second, up to 4 ms after it began.
TEST(Pauses, SettleForLongerThanATickWhereThreadsMayWaitForEachOther) {
  EXPECT_GE(settling_of(2), std::chrono::milliseconds(10));
  EXPECT_GE(settling_of(1), std::chrono::milliseconds(2));
}

TEST(Pauses, EndWithTheFirstInferenceThatFails) {
  int inferences = 0;
  Pauses pauses([&inferences] { return ++inferences < 3; }, 2, kMaxWaitRatio);
  EXPECT_FALSE(pauses.settle());
  EXPECT_EQ(inferences, 3);
}

TEST(Pauses, CountInNoUseOfTheTimedPhase) {
  Pauses pauses([] { return true; }, 1, kMaxWaitRatio);
  EXPECT_TRUE(pauses.settle());
  samples::PhaseUse timed;
  timed.wall_ns = pauses.wall_ns() + 7;
  pauses.leave_out_of(timed);
  EXPECT_EQ(timed.wall_ns, 7);
}

}  // namespace
}  // namespace ngb::worker
