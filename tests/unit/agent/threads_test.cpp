// SPDX-License-Identifier: Apache-2.0
// Threads that a study asks for by a word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "agent/incoming_job.h"
#include "agent_client.h"
#include "probe/probe.h"

namespace ngb::agent::test {
namespace {

TEST(Agent, GivesAWordForThreadsTheNumberOfItsProcessorsAndReportsIt) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  compiler_of(job, 0).threads_asked = "all";
  const WholeRun run = run_job(folder.path(), job);
  const int processors = static_cast<int>(probe::allowed_cpus().size());
  EXPECT_EQ(run.processes.at(0).threads, processors);
  EXPECT_EQ(run.processes.at(0).facts.at("OMP_NUM_THREADS"), std::to_string(processors));
}

TEST(Threads, AreResolvedToProcessorsOrCoresAndTheReferenceHasTheMost) {
  work::Job job = small_job(1);
  job.compilers = {{.name = "a", .threads_asked = "all"}, {.name = "b", .threads_asked = "physical"}, {.name = "c"}};
  job.reference = {.name = "d"};
  resolve_threads(job, {0, 900'001, 900'002});  // of processors without a description, each is a core
  EXPECT_EQ(job.compilers[0].threads, 3);
  EXPECT_EQ(job.compilers[1].threads, 3);
  EXPECT_EQ(job.compilers[2].threads, 1);
  EXPECT_EQ(job.reference->threads, 3);
  job.reference->threads = 64;
  resolve_threads(job, {0});
  EXPECT_EQ(job.compilers[0].threads, 1);
  EXPECT_EQ(job.reference->threads, 1);
}

}  // namespace
}  // namespace ngb::agent::test
