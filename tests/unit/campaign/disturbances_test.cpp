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
  EXPECT_EQ(expectation(kMostlyDisturbed),
            "most attempts are disturbed, and waiting does not help as long as the others work: at this rate the run "
            "takes 10 min 00 s instead of 3 min 00 s. Ctrl-C ends it and "
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
      "most attempts are disturbed, and waiting does not help as long as the others work: nothing was measured in 30.0 "
      "s. Ctrl-C ends it and the same command goes on later; "
      "--budget 10m takes the best of that time; `disturbance: {max_wait_percent: 100}` in the study counts what is "
      "disturbed");
}

TEST(WordsOfProgress, HaveUnits) {
  work::Protocol protocol;
  protocol.repetitions = 20;
  const auto words = [&protocol](samples::Phase phase, std::uint64_t done) {
    return words_of({.phase = phase, .repetitions_done = done}, protocol);
  };
  EXPECT_EQ(words(samples::Phase::compile, 0), "compiling");
  EXPECT_EQ(words(samples::Phase::warm_up, 2), "repetition 3 of the warm-up");
  EXPECT_EQ(words(samples::Phase::timed, 10), "repetition 11 of at least 20")
      << "the warm-up counts, however long it is";
  protocol.warm_up = 5;
  EXPECT_EQ(words(samples::Phase::timed, 10), "repetition 11 of 25");
  protocol.repetitions.reset();
  EXPECT_EQ(words(samples::Phase::timed, 10), "repetition 11") << "as many as time allows";
}

}  // namespace
}  // namespace ngb::campaign
