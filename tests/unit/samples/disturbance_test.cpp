// SPDX-License-Identifier: Apache-2.0
#include "samples/disturbance.h"

#include <gtest/gtest.h>

namespace ngb::samples {
namespace {

ProcessResult timed(std::initializer_list<std::pair<const char*, double>> percents) {
  ProcessResult result;
  result.wall_ns = 2'000'000'000;
  for (const auto& [quantity, percent] : percents) {
    result.readings.push_back({quantity, "percent", "timed", Known<double>::of(percent)});
  }
  return result;
}

TEST(Disturbance, IsAWaitForAProcessorAboveFivePercentOfTheTimedPhase) {
  EXPECT_FALSE(disturbance_of(timed({{"run_queue_wait", 5}}), {}));
  const auto failure = disturbance_of(timed({{"run_queue_wait", 5.1}}), {});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::disturbed);
  EXPECT_EQ(failure->phase, Phase::timed);
  EXPECT_EQ(failure->message, "a thread waited for a processor in 5.1 % of the timed phase (allowed: 5 %)");
  EXPECT_EQ(failure->advice, "end the other programs, or measure again when the machine is quiet");
}

TEST(Disturbance, WithRequestsInFlightMayBeThatOfItsOwnThreads) {
  ProcessResult result = timed({{"run_queue_wait", 30}});
  result.facts["in_flight"] = "2";
  EXPECT_EQ(
      disturbance_of(result, {})->advice,
      "end the other programs, or measure again when the machine is quiet; with requests in flight its own threads "
      "may wait for each other as well: then give in_flight another value, or allow more (disturbance: "
      "max_wait_percent)");
}

TEST(Disturbance, OfAProcessWhoseThreadsWaitForEachOtherIsWhatOtherProgramsUse) {
  ProcessResult result = timed({{"run_queue_wait", 47}, {"other_cpu", 4}});
  EXPECT_TRUE(disturbance_of(result, {}));
  result.facts[std::string(kWaitsForItself)] = "46.9 %";
  EXPECT_FALSE(disturbance_of(result, {}));
  result.readings.back().value = Known<double>::of(12);
  EXPECT_EQ(disturbance_of(result, {})->message,
            "programs other than it and its load used the processors in 12 % of the timed phase (allowed: 5 %)");
}

TEST(OwnWait, IsAWaitThatOtherProgramsCannotHaveCaused) {
  const auto own = [](double wait, Known<double> others) {
    return own_wait_percent(
        {{"run_queue_wait", "percent", "", Known<double>::of(wait)}, {"other_cpu", "percent", "", others}}, 2, 0.05);
  };
  EXPECT_EQ(own(47, Known<double>::of(11)), 47);  // in 11 % of two processors they used up to 22 % of one thread's time
  EXPECT_EQ(own(47, Known<double>::of(12)), std::nullopt);
  EXPECT_EQ(own(4.9, Known<double>::of(0)), std::nullopt) << "which is allowed";
  EXPECT_EQ(own(47, Known<double>::unknown("no /proc/stat")), std::nullopt);
}

TEST(Disturbance, NamesTheLongestOfItsCauses) {
  const auto failure = disturbance_of(timed({{"run_queue_wait", 7}, {"core_steal", 31.25}, {"throttled", 9}}), {});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "the host gave the processors to others in 31.2 % of the timed phase (allowed: 5 %)");
}

TEST(Disturbance, NamesTheProgramsThatUsedTheProcessorsMost) {
  ProcessResult result = timed({{"run_queue_wait", 25}});
  result.neighbours = {{"python3", 812, 960'000'000}, {"ninja", 3, 140'000'000}};
  EXPECT_EQ(
      disturbance_of(result, {})->message,
      "a thread waited for a processor in 25 % of the timed phase (allowed: 5 %); meanwhile python3 (process 812) "
      "used 0.96 s of processor time, ninja (process 3) 0.14 s");
}

TEST(Disturbance, IsNothingThatIsUnknownOrOnlyBusyOrBeforeTheTimedPhase) {
  ProcessResult result = timed({{"other_cpu", 90}, {"machine_cpu", 100}, {"pressure_cpu_some", 80}});
  result.readings.push_back({"run_queue_wait", "percent", "timed", Known<double>::unknown("no schedstat")});
  result.readings.push_back({"run_queue_wait", "percent", "during", Known<double>::of(60)});
  EXPECT_FALSE(disturbance_of(result, {}));
}

TEST(Disturbance, HasTheShareThatTheStudyAllows) {
  const ProcessResult result = timed({{"run_queue_wait", 30}});
  EXPECT_FALSE(disturbance_of(result, {.max_wait_ratio = 0.3}));
  EXPECT_TRUE(disturbance_of(result, {.max_wait_ratio = 0.29}));
  EXPECT_FALSE(disturbance_of(timed({{"run_queue_wait", 200}}), {.max_wait_ratio = 1})) << "switched off";
}

TEST(Disturbance, BesideALoadIsWhatOtherProgramsUseAndNotTheWaitThatTheLoadCauses) {
  EXPECT_FALSE(disturbance_beside_load(timed({{"run_queue_wait", 60}, {"other_cpu", 4}}), {}));
  const auto failure = disturbance_beside_load(timed({{"run_queue_wait", 60}, {"other_cpu", 12}}), {});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::disturbed);
  EXPECT_EQ(failure->message,
            "programs other than it and its load used the processors in 12 % of the timed phase (allowed: 5 %)");
  EXPECT_TRUE(disturbance_beside_load(timed({{"core_steal", 12}}), {}));
  EXPECT_TRUE(disturbance_beside_load(timed({{"throttled", 12}}), {}));
}

TEST(Disturbance, HasAttemptsOfItsOwnAndIsNoFailureOfTheCell) {
  const work::Limits limits{.attempts = 2, .disturbance = {.attempts = 4}};
  EXPECT_FALSE(is_final(FailureKind::disturbed, 3, limits));
  EXPECT_TRUE(is_final(FailureKind::disturbed, 4, limits));
  EXPECT_FALSE(is_of_cell(FailureKind::disturbed));
  EXPECT_TRUE(is_final(FailureKind::crash, 2, limits));
  EXPECT_TRUE(is_of_cell(FailureKind::crash));
  EXPECT_EQ(most_attempts(limits), 4);
}

}  // namespace
}  // namespace ngb::samples
