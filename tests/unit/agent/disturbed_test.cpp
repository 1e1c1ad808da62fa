// SPDX-License-Identifier: Apache-2.0
// Tests a real agent whose worker says that it had to wait for its processors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent_client.h"

namespace ngb::agent::test {
namespace {

TEST(DisturbedAgent, MeasuresADisturbedProcessAgainAndKeepsWhatItMeasured) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a", "waits", "0:1");
  job.limits.disturbance = {.attempts = 3, .wait_ns = 0};
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 2U);
  ASSERT_TRUE(run.processes[0].failure);
  EXPECT_EQ(run.processes[0].failure->kind, samples::FailureKind::disturbed);
  EXPECT_THAT(run.processes[0].failure->message,
              testing::StartsWith("a thread waited for a processor in 40 % of the timed phase (allowed: 5 %)"));
  EXPECT_EQ(run.processes[0].repetitions.size(), 4U);
  EXPECT_EQ(run.processes[1].attempt, 2);
  EXPECT_FALSE(run.processes[1].failure);
}

TEST(DisturbedAgent, GivesUpAProcessThatIsAlwaysDisturbedAndRunsTheOthersOfItsCell) {
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  add_cell(job, "a", "waits");
  job.limits.disturbance = {.attempts = 2, .wait_ns = 0};
  const WholeRun run = run_job(folder.path(), job);
  std::vector<std::pair<int, int>> tried;
  for (const auto& process : run.processes) tried.emplace_back(process.process_index, process.attempt);
  EXPECT_THAT(tried,
              testing::ElementsAre(testing::Pair(0, 1), testing::Pair(0, 2), testing::Pair(1, 1), testing::Pair(1, 2)));
  EXPECT_TRUE(ends_finished(run.events));
}

}  // namespace
}  // namespace ngb::agent::test
