// SPDX-License-Identifier: Apache-2.0
// Tests two agents on one machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent_client.h"

namespace ngb::agent::test {
namespace {

TEST(MachineLock, MeasuresNothingWhileAnotherRunIsMeasuredOnThisMachineAndNamesIt) {
  const TemporaryFolder folder;
  const auto words = [&folder](const char* work) {
    return std::vector<std::string>{"serve", "--work",       folder / work, "--worker",        fake_worker(),
                                    "--lib", Programs().lib, "--machine",   folder / "machine"};
  };
  work::Job job = small_job(1);
  add_cell(job, "a", "hang");
  AgentClient first(words("one"));
  first.begin(job);
  ASSERT_TRUE(first.next_of<samples::Event>());
  AgentClient second(words("two"));
  second.begin(job);
  EXPECT_TRUE(second.follow_to_the_end().empty());
  ASSERT_TRUE(second.error());
  EXPECT_EQ(second.error()->what, "another run is measured on this machine: process " + std::to_string(first.pid()) +
                                      ", in " + (folder / "one").string() + "; two at a time would disturb each other");
  EXPECT_EQ(second.error()->next, "wait until it has ended, or end it; then run the same command again");
  first.kill();
  first.wait();
  job.compilers[0].options.clear();
  AgentClient third(words("two"));
  third.begin(job);
  EXPECT_TRUE(ends_finished(third.follow_to_the_end()));
}

}  // namespace
}  // namespace ngb::agent::test
