// SPDX-License-Identifier: Apache-2.0
// What a real agent does about reference outputs; its worker is the one of agent_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent_client.h"

namespace ngb::agent::test {
namespace {

using samples::FailureKind;
using testing::HasSubstr;

TEST(AgentsReferences, MakesReferenceOutputsOnceAndKeepsThem) {
  const TemporaryFolder folder;
  const TemporaryFolder cache;
  samples::Job job = small_job(2);
  add_cell(job, "a");
  job.reference = job.cells[0].compiler;
  job.reference->version = "2.0";
  job.reference_cache = cache.path().string();
  const WholeRun first = run_job(folder.path() / "1", job);
  EXPECT_EQ(first.processes.at(0).facts.at("reference"), "fake 2.0");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(cache.path()), {}), 1);
  const WholeRun second = run_job(folder.path() / "2", job);
  int reference_logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "2/logs")) {
    if (entry.path().filename().string().starts_with("reference-")) ++reference_logs;
  }
  EXPECT_EQ(reference_logs, 0);
  EXPECT_FALSE(second.processes.at(0).failure);
}

TEST(AgentsReferences, FailsTheCellsOfAGroupWithoutReferenceOutputsAndSaysWhy) {
  const TemporaryFolder folder;
  samples::Job job = small_job(2);
  add_cell(job, "a");
  add_cell(job, "b");
  job.reference = job.cells[0].compiler;
  job.reference->options = {{"behave", "crash"}};
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 2U);
  EXPECT_EQ(run.processes[1].failure->kind, FailureKind::no_reference);
  EXPECT_THAT(run.processes[1].failure->message, HasSubstr("signal 6"));
  EXPECT_TRUE(ends_finished(run.events));
}

// A job whose only cell stands for the model's reference outputs.
samples::Job references_only(const std::filesystem::path& cache) {
  samples::Job job = small_job(1);
  add_cell(job, "m");
  job.reference = job.cells[0].compiler;
  job.reference_cache = cache.string();
  job.only_references = true;
  return job;
}

TEST(AgentsReferences, MakesNothingButReferenceOutputsWhenAskedAndNamesTheFile) {
  const TemporaryFolder folder;
  const samples::Job job = references_only(folder.path() / "cache");
  const WholeRun first = run_job(folder.path() / "1", job);
  ASSERT_EQ(first.processes.size(), 1U);
  EXPECT_FALSE(first.processes[0].failure);
  EXPECT_TRUE(first.processes[0].repetitions.empty());
  const std::filesystem::path made = first.processes[0].facts.at(samples::kReferencePathFact);
  EXPECT_EQ(file::read(made).value_or(""), "NGBREF02 outputs");
  const WholeRun second = run_job(folder.path() / "2", job);
  EXPECT_EQ(second.processes.at(0).facts.at(samples::kReferencePathFact), made);
  EXPECT_EQ(second.events.size(), 3U);  // environment, process, finished: no model was written for what is there
}

TEST(AgentsReferences, RefusesAJobForReferencesThatNamesNobodyToMakeThem) {
  const TemporaryFolder folder;
  samples::Job job = references_only(folder.path());
  job.reference.reset();
  EXPECT_EQ(run_job(folder.path(), job).error->what, "nobody is to make the references");
}

TEST(AgentsReferences, ComparesWithTheReferenceOutputsThatItWasGivenAndMakesNone) {
  const TemporaryFolder folder;
  samples::Job job = small_job(1);
  add_cell(job, "a");
  job.reference = job.cells[0].compiler;
  job.reference->options = {{"behave", "crash"}};
  job.models[0].reference_path = "/given/outputs.ref";
  const WholeRun run = run_job(folder.path(), job);
  EXPECT_FALSE(run.processes.at(0).failure);
  EXPECT_EQ(run.processes.at(0).facts.at("reference_path"), "/given/outputs.ref");
}

TEST(AgentsReferences, SaysWhyNeitherItNorTheClientHasReferenceOutputs) {
  const TemporaryFolder folder;
  samples::Job job = small_job(1);
  add_cell(job, "a");
  job.reference = job.cells[0].compiler;
  job.models[0].no_reference = "signal 9";
  const WholeRun run = run_job(folder.path(), job);
  EXPECT_EQ(run.processes.at(0).failure->kind, FailureKind::no_reference);
  EXPECT_EQ(run.processes[0].failure->message,
            "fake is not installed on this device, and the client could not make its outputs: signal 9");
}

}  // namespace
}  // namespace ngb::agent::test
