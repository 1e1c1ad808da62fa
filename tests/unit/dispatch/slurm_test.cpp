// SPDX-License-Identifier: Apache-2.0
#include "dispatch/route/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::dispatch {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

SlurmJob only_job(const std::string& state_json) {
  const auto job = newest_job(R"({"jobs": [{"job_id": 7, "name": "ngb-a", "nodes": "edge1", "state_reason": "None",
                                  "job_state": )" +
                                  state_json + "}]}",
                              "ngb-a", "me");
  EXPECT_TRUE(job && job->has_value());
  return job && *job ? **job : SlurmJob{};
}

TEST(NewestJob, IsTheLastSubmittedOfThatName) {
  const auto job = newest_job(
      R"({"jobs": [{"job_id": 3, "name": "ngb-a", "job_state": "TIMEOUT", "nodes": "edge1", "state_reason": "TimeLimit"},
                   {"job_id": 9, "name": "ngb-a", "job_state": "PENDING", "nodes": "", "state_reason": "Resources"},
                   {"job_id": 12, "name": "other", "job_state": "RUNNING", "nodes": "edge2", "state_reason": "None"}]})",
      "ngb-a", "me");
  ASSERT_TRUE(job && *job);
  EXPECT_EQ((*job)->id, 9U);
  EXPECT_EQ((*job)->state, JobState::waiting);
  EXPECT_EQ((*job)->word, "PENDING");
  EXPECT_EQ((*job)->reason, "Resources");
}

TEST(NewestJob, IsEmptyIfNoJobHasTheName) {
  const auto job = newest_job(R"({"jobs": []})", "ngb-a", "me");
  ASSERT_TRUE(job);
  EXPECT_FALSE(job->has_value());
}

TEST(NewestJob, ReadsAStateThatIsAWordOrAList) {
  EXPECT_EQ(only_job(R"("RUNNING")").state, JobState::running);
  EXPECT_EQ(only_job(R"(["RUNNING"])").state, JobState::running);
  EXPECT_EQ(only_job(R"(["RUNNING"])").node, "edge1");
  EXPECT_EQ(only_job(R"(["RUNNING", "COMPLETING"])").state, JobState::waiting);
  EXPECT_EQ(only_job(R"(["PENDING", "REQUEUED"])").state, JobState::waiting);
  EXPECT_EQ(only_job(R"("SUSPENDED")").state, JobState::waiting);
  EXPECT_EQ(only_job(R"("NODE_FAIL")").state, JobState::ended);
  EXPECT_EQ(only_job(R"(["TIMEOUT"])").state, JobState::ended);
}

TEST(NewestJob, RefusesAnAnswerThatIsNotFromSqueue) {
  for (const char* answer : {"", "[]", "{\"jobs\": 3}", R"({"jobs": [{"name": "ngb-a"}]})", "not json"}) {
    const auto job = newest_job(answer, "ngb-a", "me");
    ASSERT_FALSE(job) << answer;
    EXPECT_THAT(job.error().text(), HasSubstr("cannot read the output of squeue --json"));
  }
}

TEST(NewestJob, RefusesTheJobOfAnotherUserAndNamesThatUser) {
  const auto job = newest_job(
      R"({"jobs": [{"job_id": 9, "name": "ngb-a", "job_state": "RUNNING", "user_name": "eve"}]})", "ngb-a", "me");
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().what, "job 9 has the name ngb-a of this run's job but belongs to eve");
  const auto ours = newest_job(
      R"({"jobs": [{"job_id": 9, "name": "ngb-a", "job_state": "RUNNING", "user_name": "me"}]})", "ngb-a", "me");
  EXPECT_TRUE(ours && ours->has_value());
}

TEST(SlurmCommands, ListAndCancelOnlyOurOwnJobs) {
  EXPECT_THAT(squeue_command("ngb-a"), Contains("--me"));
  EXPECT_THAT(scancel_command("ngb-a"), Contains("--me"));
}

TEST(Sbatch, RequestsOneMachineForItselfAndExportsOnlyThreeVariables) {
  const auto words =
      sbatch_command({.partition = "bench", .constraint = "arm&edge", .gres = "gpu:1", .time = "30"}, "ngb-a");
  for (const char* word : {"--exclusive", "--nodes=1", "--requeue", "--partition=bench", "--constraint=arm&edge",
                           "--gres=gpu:1", "--time=30", "--export=HOME,USER,PATH"}) {
    EXPECT_THAT(words, Contains(word));
  }
  EXPECT_THAT(words, Not(Contains(StartsWith("--account"))));
}

TEST(Srun, RunsInsideAJobBesideItsOtherProcesses) {
  const auto words = srun_command(7, {"/bin/sh", "-c", "true"});
  EXPECT_THAT(words, Contains("--jobid=7"));
  EXPECT_THAT(words, Contains("--overlap"));
  EXPECT_EQ(words.back(), "true");
}

}  // namespace
}  // namespace ngb::dispatch
