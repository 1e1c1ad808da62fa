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
  ASSERT_TRUE(resolve_threads(job, {{0, 0}, {1, 0}, {2, 2}, {3, 2}}, 8));
  EXPECT_EQ(job.compilers[0].threads, 4);
  EXPECT_EQ(job.compilers[1].threads, 2);
  EXPECT_EQ(job.compilers[2].threads, 1);
  EXPECT_EQ(job.reference->threads, 4);
  job.reference->threads = 64;
  ASSERT_TRUE(resolve_threads(job, {{0, 0}, {1, 0}, {2, 2}, {3, 2}}, 1)) << "a quota of one processor";
  EXPECT_EQ(job.compilers[0].threads, 1);
  EXPECT_EQ(job.reference->threads, 1);
}

TEST(Threads, AreThoseOfTheProcessorsThatTheStudyChooses) {
  work::Job job = small_job(1);
  job.compilers = {{.name = "a", .threads_asked = "all", .processors = "1-3"},
                   {.name = "b", .threads_asked = "physical", .processors = "1-3"}};
  ASSERT_TRUE(resolve_threads(job, {{0, 0}, {1, 0}, {2, 2}, {3, 2}}, 4));
  EXPECT_EQ(job.compilers[0].threads, 3);
  EXPECT_EQ(job.compilers[1].threads, 2);
}

TEST(Processors, ThatADeviceHasNotOrThatAreTooFewRefuseTheJobBeforeItBegins) {
  work::Job job = small_job(1);
  job.compilers = {{.name = "a", .processors = "numa:1", .label = "a"}};
  const Status refused = resolve_threads(job, {{0, 0}, {1, 1}}, 2);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(),
            "a: processors: node 1 has no processor that a process may use; name one of the nodes 0, or write all");
  job.compilers = {{.name = "a", .threads = 2, .processors = "0", .label = "a"}};
  EXPECT_EQ(
      resolve_threads(job, {{0, 0}, {1, 1}}, 2).error().text(),
      "a: processors: 2 threads need 2 processors, and 0 means 1 here: 0; give fewer threads or instances, or more "
      "processors");
}

}  // namespace
}  // namespace ngb::agent::test
