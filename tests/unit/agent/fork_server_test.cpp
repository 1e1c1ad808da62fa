// SPDX-License-Identifier: Apache-2.0
// Tests workers that a Python forks, and what happens if it cannot fork (tests/unit/agent/lib/python).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "agent/workers/fork_server.h"
#include "agent_client.h"

namespace ngb::agent::test {
namespace {

using samples::FailureKind;
using testing::HasSubstr;
using testing::Not;

// Returns a job with one cell of the compiler of that name.
work::Job python_job(const std::string& compiler, int processes, const std::string& behave = "",
                     const std::string& on = "") {
  work::Job job = small_job(processes);
  add_cell(job, "a", behave, on);
  host_by_python(job, 0, compiler);
  return job;
}

std::ptrdiff_t servers_started(const std::filesystem::path& folder, const std::string& compiler) {
  const std::string record = file::read(folder / ("started-" + compiler)).value_or("");
  return std::count(record.begin(), record.end(), '\n');
}

TEST(ForkServer, IsStartedOnceForAllProcesses) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), python_job("forked", 4));
  ASSERT_EQ(run.processes.size(), 4U);
  for (const auto& process : run.processes) EXPECT_FALSE(process.failure);
  EXPECT_EQ(servers_started(folder.path(), "forked"), 1);
  EXPECT_EQ(run.processes[2].facts.at("threads_at_fork"), "1");
  EXPECT_EQ(run.processes[2].facts.at("import_ns"), "123");
  EXPECT_EQ(run.processes[2].facts.at("NGB_PROCESS_INDEX"), "2");
}

TEST(ForkServer, OfAToolchainThatNgbInstalledSeesNoPackagesOfTheInterpreter) {
  const TemporaryFolder folder;
  work::Job job = python_job("forked", 1);
  place_of(job, 0).toolchain_dir = (folder.path() / "toolchain/site").string();
  const auto record = [&] { return file::read(folder.path() / "started-forked").value_or(""); };
  (void)run_job(folder.path(), job);
  EXPECT_THAT(record(), Not(HasSubstr("without site")));
  std::filesystem::create_directories(folder.path() / "toolchain/site");
  ASSERT_TRUE(file::write_atomically(folder.path() / "toolchain/manifest.json", R"({"adopted": false})"));
  job.run_id = "run-2";
  (void)run_job(folder.path(), job);
  EXPECT_THAT(record(), HasSubstr("without site"));
}

TEST(ForkServer, IsToldTheKindsOfTheJobsModels) {
  const TemporaryFolder folder;
  work::Job job = python_job("forked", 1);
  work::Model variant = job.models[0];
  variant.source = work::Recipe{R"({"family":"cheap"})"};
  variant.exact = {job.models[0]};
  variant.exact[0].source = work::OnnxFile{};
  job.models.push_back(variant);
  job.models.push_back(job.models[0]);
  EXPECT_EQ(model_kinds(job), (std::set<std::string>{"cheap", "file", "tiny"}));
  job.models[2].source = work::Module{R"({"module":{"timm":"vit_tiny"}})"};
  EXPECT_EQ(model_kinds(job), (std::set<std::string>{"cheap", "file", "module", "tiny"}));
  (void)run_job(folder.path(), python_job("forked", 1));
  EXPECT_THAT(file::read(folder.path() / "started-forked").value_or(""), HasSubstr(" for tiny\n"));
}

TEST(ForkServer, SurvivesTheCrashOfAWorker) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), python_job("forked", 2, "crash", "0:1"));
  ASSERT_EQ(run.processes.size(), 3U);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::crash);
  EXPECT_EQ(run.processes[0].failure->signal, SIGABRT);
  EXPECT_EQ(servers_started(folder.path(), "forked"), 1);
}

TEST(ForkServer, SurvivesAWorkerThatIsEndedByItsTimeLimit) {
  const TemporaryFolder folder;
  work::Job job = python_job("forked", 2, "hang_timed", "0:1");
  job.limits.timeouts.run_ns = 2'000'000'000;
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 3U);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::timeout);
  EXPECT_EQ(servers_started(folder.path(), "forked"), 1);
}

TEST(ForkServer, GivesItsWorkersNoMoreMemoryThanTheLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve more memory than any limit";
#endif
  const TemporaryFolder folder;
  work::Job job = python_job("forked", 1, "memory");
  job.limits.memory_bytes = 300'000'000;
  job.limits.attempts = 1;
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::out_of_memory);
}

TEST(ForkServer, IsReplacedByAFreshPythonWhenItRefuses) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), python_job("refusing", 2));
  ASSERT_EQ(run.processes.size(), 2U);
  EXPECT_FALSE(run.processes[0].failure);
  EXPECT_FALSE(run.processes[1].failure);
  EXPECT_THAT(file::read(folder.path() / "logs/a-1-1.log").value_or(""), HasSubstr("fresh interpreter"));
}

TEST(ForkServer, CostsAnAttemptWhenItDiesAndIsStartedAgain) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), python_job("dying", 3));
  ASSERT_EQ(run.processes.size(), 2U);
  EXPECT_EQ(run.processes[1].attempt, 2);
  EXPECT_EQ(run.processes[1].failure->kind, FailureKind::crash);
  EXPECT_THAT(run.processes[1].failure->message, HasSubstr("the fork server was lost: it exited with code 4"));
  EXPECT_EQ(servers_started(folder.path(), "dying"), 2);
}

TEST(ForkServer, QuotesItsLogWhenTheCompilerCannotBeImported) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), python_job("broken", 3));
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::import_error);
  EXPECT_THAT(run.processes[0].failure->message,
              HasSubstr("cannot import the compiler: ImportError: libnothing.so: cannot open shared object file"));
  EXPECT_THAT(run.processes[0].failure->message, HasSubstr("logs/fork-server-broken-none.log"));
  EXPECT_TRUE(ends_finished(run.events));
}

TEST(ForkServer, SaysOfAPythonThatLacksItsOwnModulesWhatToInstall) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), python_job("minimal", 1));
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_THAT(run.processes[0].failure->message,
              HasSubstr("ModuleNotFoundError: No module named 'a_module_that_a_minimal_python_lacks'\n"));
  EXPECT_EQ(run.processes[0].failure->advice,
            "give the device all of Python: the package python3, where there is only python3-minimal");
}

TEST(ForkServer, IsEndedIfItsImportExceedsTheCompileTimeout) {
  const TemporaryFolder folder;
  work::Job job = python_job("importing", 1);
  job.limits.timeouts.compile_ns = 500'000'000;
  job.limits.attempts = 1;
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::timeout);
  EXPECT_TRUE(ends_finished(run.events));
}

TEST(ForkServer, IsReplacedIfItDoesNotAnswer) {
  const TemporaryFolder folder;
  work::Job job = python_job("stopping", 2);
  job.limits.timeouts.compile_ns = 5'000'000'000;
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 3U);
  ASSERT_TRUE(run.processes[0].failure);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::device_lost);
  EXPECT_THAT(run.processes[0].failure->message, HasSubstr("did not answer and was killed"));
  EXPECT_FALSE(run.processes[1].failure);
  EXPECT_FALSE(run.processes[2].failure);
  EXPECT_EQ(servers_started(folder.path(), "stopping"), 2);
  EXPECT_TRUE(ends_finished(run.events));
}

TEST(ForkServer, NeedsAnExistingPython) {
  const TemporaryFolder folder;
  work::Job job = python_job("forked", 1);
  place_of(job, 0).python = "/nowhere/python3";
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::toolchain_missing);
  EXPECT_THAT(run.processes[0].failure->message, HasSubstr("/nowhere/python3"));
}

}  // namespace
}  // namespace ngb::agent::test
