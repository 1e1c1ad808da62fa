// SPDX-License-Identifier: Apache-2.0
#include "worker/repetitions.h"

#include <gtest/gtest.h>

namespace ngb::worker {
namespace {

// Returns the milliseconds of the look after so many of compiling and of timing.
std::int64_t look_ms(const work::Protocol& protocol, std::int64_t compile_ms, std::int64_t timed_ms) {
  const std::vector<samples::PhaseUse> phases{{.phase = samples::Phase::compile, .wall_ns = compile_ms * 1'000'000},
                                              {.phase = samples::Phase::timed, .wall_ns = timed_ms * 1'000'000}};
  return longer_look_ns(protocol, phases) / 1'000'000;
}

TEST(LongerLook, LastsUntil3SecondsAfterTheTimedPhaseBeganIfThatIsLittleOfTheCell) {
  EXPECT_EQ(look_ms({.processes = 10}, 9'000, 1'000), 2'000);
}

TEST(LongerLook, CostsAtMost5PercentOfTheCell) {
  EXPECT_EQ(look_ms({.processes = 5}, 1'900, 100), 500);  // of 5 processes of 2 s
  EXPECT_EQ(look_ms({.processes = 1}, 1'900, 100), 100);
}

TEST(LongerLook, LastsNoLongerThanTheProcessBecauseABudgetMayEndBeforeTheOthers) {
  EXPECT_EQ(look_ms({.processes = 1000}, 400, 100), 500);
}

TEST(LongerLook, IsNotNeededByALongTimedPhase) { EXPECT_LE(look_ms({.processes = 100}, 1'000, 3'000), 0); }

TEST(LongerLook, LastsAsLongAsTheStudyAsks) {
  EXPECT_EQ(look_ms({.processes = 1, .longer_look_s = 10}, 100, 100), 9'900);
  EXPECT_LE(look_ms({.processes = 1, .longer_look_s = 0}, 100'000, 100), 0);
}

}  // namespace
}  // namespace ngb::worker
