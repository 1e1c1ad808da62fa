// SPDX-License-Identifier: Apache-2.0
#include "campaign/recorder.h"

#include <gmock/gmock.h>

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

const Pace kMostlyDisturbed{.elapsed_s = 30, .finished = 3, .left = 57, .disturbed = 4, .expected_s = 180};

TEST(Expectation, SaysHowLongARunTakesAtItsRateAndThreeWaysOut) {
  EXPECT_THAT(expectation(kMostlyDisturbed),
              testing::ElementsAre(
                  "most attempts are disturbed, which does not get better while other programs work: at this rate the "
                  "run takes 10 min 00 s instead of 3 min 00 s; three ways out:",
                  "  Ctrl-C, and the same command when the machine is quiet: it keeps what was measured",
                  "  Ctrl-C, and the same command with --budget 10m: it makes the best of that time",
                  "  `turns: 20` in the study: short turns are disturbed less"));
}

TEST(Expectation, IsSilentWhileLessThanHalfIsDisturbedAndForTwentySeconds) {
  Pace pace = kMostlyDisturbed;
  pace.disturbed = 3;
  EXPECT_THAT(expectation(pace), testing::IsEmpty());
  pace = kMostlyDisturbed;
  pace.elapsed_s = 19;
  EXPECT_THAT(expectation(pace), testing::IsEmpty());
  pace.elapsed_s = 20;
  EXPECT_THAT(expectation(pace), testing::SizeIs(4));
}

// A first process may compile for a minute, so nothing has ended when a turn of the second one is run again.
TEST(Expectation, IsSilentWhereATurnOrTwoWereRunAgain) {
  Pace pace{.elapsed_s = 47, .left = 42, .turns_again_s = 2};
  EXPECT_THAT(expectation(pace), testing::IsEmpty());
  pace.turns_again_s = 10;
  EXPECT_THAT(expectation(pace), testing::SizeIs(4));
}

TEST(Expectation, SaysThatNothingWasMeasuredAndWhichProgramIsAtWork) {
  Pace pace = kMostlyDisturbed;
  pace.finished = 0;
  pace.takes_turns = true;
  pace.culprit = "cc1plus (31 processes)";
  const std::vector<std::string> lines = expectation(pace);
  EXPECT_EQ(lines.at(0),
            "most attempts are disturbed, which does not get better while cc1plus (31 processes) works: nothing was "
            "measured in 30.0 s; three ways out:");
  EXPECT_EQ(lines.at(3),
            "  `disturbance: {max_wait_percent: 100}` in the study: it counts what is disturbed, and flags it");
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
