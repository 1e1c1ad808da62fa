// SPDX-License-Identifier: Apache-2.0
#include "campaign/recorder.h"

#include <gtest/gtest.h>

namespace ngb::campaign {
namespace {

samples::ProcessResult disturbed_by(std::vector<samples::Neighbour> neighbours) {
  samples::ProcessResult result;
  result.neighbours = std::move(neighbours);
  return result;
}

TEST(Disturbances, AreCountedAndTheBusiestProgramIsNamed) {
  Disturbances disturbances;
  EXPECT_EQ(disturbances.text(), "");
  disturbances.add(disturbed_by({}));
  EXPECT_EQ(disturbances.text(), "1 attempt disturbed");
  disturbances.add(disturbed_by({{"compile", 2822, 500}, {"browser", 7, 600}}));
  disturbances.add(disturbed_by({{"compile", 2822, 500}}));
  EXPECT_EQ(disturbances.text(), "3 attempts disturbed, mostly by compile (process 2822)");
  disturbances.add(disturbed_by({{"cc1plus", 10, 900}, {"cc1plus", 11, 900}}));
  EXPECT_EQ(disturbances.text(), "4 attempts disturbed, mostly by cc1plus (2 processes)");
}

constexpr Pace kMostlyDisturbed{.elapsed_s = 30, .finished = 3, .left = 57, .disturbed = 4, .expected_s = 180};

TEST(Expectation, SaysHowLongARunTakesAtItsRate) {
  EXPECT_EQ(
      expectation(kMostlyDisturbed),
      "most attempts are disturbed: at this rate the run takes 10 min 00 s instead of 3 min 00 s. Ctrl-C ends it and "
      "the same command goes on later; --budget 10m takes the best of that time; `turns: 20` in the study is "
      "disturbed less");
}

TEST(Expectation, IsSilentWhileLessThanHalfIsDisturbedOrNothingCanBeSaidYet) {
  Pace pace = kMostlyDisturbed;
  pace.disturbed = 3;
  EXPECT_EQ(expectation(pace), "");
  pace = kMostlyDisturbed;
  pace.elapsed_s = 19;
  EXPECT_EQ(expectation(pace), "");
}

TEST(Expectation, SaysThatNothingWasMeasured) {
  Pace pace = kMostlyDisturbed;
  pace.finished = 0;
  pace.takes_turns = true;
  EXPECT_EQ(
      expectation(pace),
      "most attempts are disturbed: nothing was measured in 30.0 s. Ctrl-C ends it and the same command goes on later; "
      "--budget 10m takes the best of that time");
}

}  // namespace
}  // namespace ngb::campaign
