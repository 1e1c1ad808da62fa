// SPDX-License-Identifier: Apache-2.0
// The agent's small parts: where workers run, what a log tells, how an ending is read, which processes are below us.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "agent/attempt_log.h"
#include "agent/ending.h"
#include "agent/placement.h"
#include "agent/process_tree.h"
#include "agent/reference.h"
#include "agent_client.h"

namespace ngb::agent {
namespace {

using samples::FailureKind;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Placement, TakesTheHighestProcessorsFirst) {
  EXPECT_THAT(choose_cpus({0, 1, 2, 3}, {0, 1, 2, 3}, 1), ElementsAre(3));
  EXPECT_THAT(choose_cpus({0, 1, 2, 3}, {0, 1, 2, 3}, 2), ElementsAre(2, 3));
}

TEST(Placement, TakesOneProcessorOfEachCoreBeforeASecondOfAny) {
  // Processors 4 … 7 are second threads of the cores of 0 … 3.
  const std::vector<int> cores{0, 1, 2, 3, 0, 1, 2, 3};
  EXPECT_THAT(choose_cpus({0, 1, 2, 3, 4, 5, 6, 7}, cores, 4), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(choose_cpus({0, 1, 2, 3, 4, 5, 6, 7}, cores, 5), ElementsAre(3, 4, 5, 6, 7));
  EXPECT_THAT(choose_cpus({0, 1, 2, 3}, {0, 0, 2, 2}, 2), ElementsAre(1, 3));
}

TEST(Placement, TakesAllWhenThereAreNotMore) { EXPECT_THAT(choose_cpus({2, 3}, {2, 3}, 8), ElementsAre(2, 3)); }

TEST(Placement, LeavesTheOthersToTheAgentOrAllWhenThereAreNone) {
  EXPECT_THAT(other_cpus({0, 1, 2}, {1, 2}), ElementsAre(0));
  EXPECT_THAT(other_cpus({0, 1}, {0, 1}), ElementsAre(0, 1));
}

TEST(AttemptLog, GivesTheLastTwentyLines) {
  const TemporaryFolder folder;
  std::string content;
  for (int i = 1; i <= 30; ++i) content += "line " + std::to_string(i) + "\n";
  ASSERT_TRUE(file::write_atomically(folder.path() / "log", content));
  const std::string lines = last_lines(folder.path() / "log");
  EXPECT_TRUE(lines.starts_with("line 11\n"));
  EXPECT_TRUE(lines.ends_with("line 30"));
}

TEST(AttemptLog, CutsLongOutputAtALine) {
  const TemporaryFolder folder;
  ASSERT_TRUE(file::write_atomically(folder.path() / "log", std::string(5000, 'x') + "\nlast\n"));
  EXPECT_EQ(last_lines(folder.path() / "log"), "last");
}

TEST(AttemptLog, SaysWhenThereIsNothing) {
  const TemporaryFolder folder;
  ASSERT_TRUE(create_log(folder.path() / "log"));
  samples::Failure failure;
  failure.message = "it crashed";
  quote_log(failure, folder.path() / "log", "logs/log");
  EXPECT_EQ(failure.message, "it crashed (logs/log is empty)");
}

samples::WorkerRequest request() {
  samples::WorkerRequest request;
  request.cell_id = "a";
  request.process_index = 1;
  return request;
}

TEST(Ending, CallsASigkillWantOfMemoryWhenTheKernelHasKilledForIt) {
  Ending ending;
  ending.launched.wait_status = SIGKILL;
  ending.memory_limit_bytes = 1'000'000'000;
  ending.has_kernel_killed_for_memory = true;
  EXPECT_EQ(result_of(request(), ending).failure->kind, FailureKind::out_of_memory);
  ending.has_kernel_killed_for_memory = false;
  EXPECT_EQ(result_of(request(), ending).failure->kind, FailureKind::crash);
}

TEST(Ending, CallsACrashAtTheMemoryLimitWantOfMemory) {
  Ending ending;
  ending.launched.wait_status = SIGSEGV;
  ending.memory_limit_bytes = 1'000'000'000;
  ending.launched.peak_rss_bytes = 899'000'000;
  EXPECT_EQ(result_of(request(), ending).failure->kind, FailureKind::crash);
  ending.launched.peak_rss_bytes = 901'000'000;
  EXPECT_EQ(result_of(request(), ending).failure->kind, FailureKind::out_of_memory);
}

TEST(Ending, PrefersTheAgentsOwnReasonToTheSignalItSent) {
  Ending ending;
  ending.launched.wait_status = SIGKILL;
  ending.ended_by_agent.emplace();
  ending.ended_by_agent->kind = FailureKind::timeout;
  ending.phase = samples::Phase::timed;
  const samples::ProcessResult result = result_of(request(), ending);
  EXPECT_EQ(result.failure->kind, FailureKind::timeout);
  EXPECT_EQ(result.failure->phase, samples::Phase::timed);
  EXPECT_EQ(result.process_index, 1);
}

TEST(Ending, SaysWhichKeyOfAResultIsMissing) {
  Ending ending;
  ending.launched.wait_status = 0;
  ending.result_text = R"({"cell_id":"a"})";
  const samples::ProcessResult result = result_of(request(), ending);
  EXPECT_EQ(result.failure->kind, FailureKind::internal);
  EXPECT_THAT(result.failure->message, HasSubstr("\"process_index\" is missing"));
}

TEST(ProcessTree, FindsAGrandchildThatLeftItsGroupUntilItEnds) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      ::setsid();
      ::pause();
    }
    [[maybe_unused]] const ssize_t count = ::write(ends[1], &grandchild, sizeof grandchild);
    ::pause();
  }
  pid_t grandchild = 0;
  ASSERT_EQ(::read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  EXPECT_THAT(descendants(::getpid()), testing::UnorderedElementsAre(child, grandchild));
  EXPECT_THAT(descendants(child), ElementsAre(grandchild));
  EXPECT_GT(resident_bytes({child, grandchild}), 100'000U);
  ::kill(child, SIGKILL);
  ::kill(grandchild, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_THAT(descendants(::getpid()), Not(Contains(child)));
}

TEST(ProcessTree, KillsWhatWasLeftInAFolderAndNothingElse) {
  const auto start = [](const std::string& folder) {
    process::Spawn spawn{{"sleep", "60"}};
    spawn.environment = {{kWorkFolderVariable, folder}};
    return *process::spawn(spawn);
  };
  const pid_t ours = start("/some/folder");
  const pid_t other = start("/some/folder2");
  EXPECT_EQ(kill_leftovers("/some/folder"), 1);
  int status = 0;
  ASSERT_EQ(::waitpid(ours, &status, 0), ours);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(::waitpid(other, &status, WNOHANG), 0);
  ::kill(other, SIGKILL);
  ::waitpid(other, &status, 0);
}

TEST(Reference, HasAKeyForEverythingThatOutputsDependOn) {
  samples::ModelWork model;
  model.hash = "abc";
  samples::CompilerWork compiler;
  compiler.name = "identity";
  compiler.version = "2.15.0";
  const std::string key = reference_key(model, 1, compiler);
  EXPECT_EQ(key.size(), 64U);
  EXPECT_EQ(key, reference_key(model, 1, compiler));
  std::set<std::string> keys{key, reference_key(model, 2, compiler)};
  model.batch = 2;
  keys.insert(reference_key(model, 1, compiler));
  compiler.version = "2.15.1";
  keys.insert(reference_key(model, 1, compiler));
  compiler.options = {{"channels_last", "true"}};
  keys.insert(reference_key(model, 1, compiler));
  EXPECT_EQ(keys.size(), 5U);
}

TEST(Reference, IsTakenOnlyWhenItIsOne) {
  const TemporaryFolder folder;
  ASSERT_TRUE(file::write_atomically(folder.path() / "bad", "NGBREF0"));
  EXPECT_FALSE(is_reference_file(folder.path() / "bad"));
  EXPECT_FALSE(adopt_reference(folder.path() / "bad", folder.path() / "good"));
  ASSERT_TRUE(file::write_atomically(folder.path() / "written", "NGBREF02 and more"));
  ASSERT_TRUE(adopt_reference(folder.path() / "written", folder.path() / "good"));
  EXPECT_TRUE(is_reference_file(folder.path() / "good"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "written"));
}

}  // namespace
}  // namespace ngb::agent
