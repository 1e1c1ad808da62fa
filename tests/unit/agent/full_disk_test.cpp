// SPDX-License-Identifier: Apache-2.0
// What fails for want of space stops the run, and nothing of it is recorded: the same command continues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>

#include "agent_client.h"

namespace ngb::agent::test {
namespace {

using testing::HasSubstr;

void expect_stopped(const WholeRun& run, const std::string& why) {
  EXPECT_TRUE(run.processes.empty());
  ASSERT_TRUE(run.error);
  EXPECT_THAT(run.error->what, HasSubstr("the disk is full: " + why));
  EXPECT_EQ(run.error->next, "free some space and run the same command again");
  EXPECT_EQ(run.outcome.exit_code, 3);
}

TEST(Agent, StopsWhenThereIsNoSpaceForTheModel) {
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  job.models[0].source = work::Recipe{R"({"family":"large"})"};
  add_cell(job, "a");
  expect_stopped(run_job(folder.path(), job), "");
}

TEST(Agent, StopsWhenACompilerReportsAFullDisk) {
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  add_cell(job, "a", "disk_full");
  expect_stopped(run_job(folder.path(), job), "as told");
}

// A compiler that cannot write its artifact may give any reason.
TEST(Agent, StopsWhenAProcessFailsForAnyReasonOnAFullDisk) {
  const TemporaryFolder folder;
  if (::mount("ngb", folder.path().c_str(), "tmpfs", 0, "size=4m") != 0) {
    GTEST_SKIP() << "mounting a small file system needs root: " << std::strerror(errno);
  }
  work::Job job = small_job(2);
  add_cell(job, "a", "fill_disk");
  const WholeRun run = run_job(folder.path(), job);
  ::umount2(folder.path().c_str(), MNT_DETACH);
  expect_stopped(run, "as told");
}

}  // namespace
}  // namespace ngb::agent::test
