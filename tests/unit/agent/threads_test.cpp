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
  const int processors = probe::usable_processors(probe::allowed_cpus()).all;
  EXPECT_EQ(run.processes.at(0).threads, processors);
  EXPECT_EQ(run.processes.at(0).facts.at("OMP_NUM_THREADS"), std::to_string(processors));
}

TEST(Threads, AreResolvedToProcessorsOrCoresAndTheReferenceHasTheMost) {
  work::Job job = small_job(1);
  job.compilers = {{.name = "a", .threads_asked = "all"}, {.name = "b", .threads_asked = "physical"}, {.name = "c"}};
  job.reference = {.name = "d"};
  resolve_threads(job, {.all = 4, .physical = 2});
  EXPECT_EQ(job.compilers[0].threads, 4);
  EXPECT_EQ(job.compilers[1].threads, 2);
  EXPECT_EQ(job.compilers[2].threads, 1);
  EXPECT_EQ(job.reference->threads, 4);
  job.reference->threads = 64;
  resolve_threads(job, {.all = 1, .physical = 1});
  EXPECT_EQ(job.compilers[0].threads, 1);
  EXPECT_EQ(job.reference->threads, 1);
}

}  // namespace
}  // namespace ngb::agent::test
