// SPDX-License-Identifier: Apache-2.0
// Tests a real agent and the real worker with studies whose processes share a compilation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "agent/shared_compilation.h"
#include "null_job.h"

namespace ngb::agent::test {
namespace {

using samples::Phase;
using testing::ElementsAre;
using testing::StartsWith;
using work::Compilation;

work::Job sharing_job(Compilation compile, int processes, const Options& options = {}) {
  work::Job job = null_job(processes, options);
  job.protocol.compile = compile;
  return job;
}

// Returns "compile" or "load" for each process.
std::vector<std::string> how(const std::vector<samples::ProcessResult>& processes) {
  std::vector<std::string> all;
  for (const auto& process : processes) {
    std::string phases;
    for (const auto& use : process.phases) {
      if (use.phase == Phase::compile || use.phase == Phase::load) phases += name(use.phase);
    }
    all.push_back(phases);
  }
  return all;
}

std::vector<std::string> shared_compilations(const std::vector<samples::ProcessResult>& processes) {
  std::vector<std::string> all;
  for (const auto& process : processes) {
    const auto fact = process.facts.find("shared_compilation");
    all.push_back(fact == process.facts.end() ? "" : fact->second);
  }
  return all;
}

void expect_all_complete(const std::vector<samples::ProcessResult>& processes) {
  for (const auto& process : processes) {
    EXPECT_FALSE(process.failure) << process.failure->message;
    EXPECT_EQ(process.repetitions.size(), 11U);
    EXPECT_TRUE(process.check);
  }
}

TEST(SharedCompilation, OnceTheFirstProcessCompilesAndTheOthersLoadWhatItKept) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), sharing_job(Compilation::once, 3), 0, kReal);
  expect_all_complete(run.processes);
  EXPECT_THAT(how(run.processes), ElementsAre("compile", "load", "load"));
  EXPECT_THAT(shared_compilations(run.processes),
              ElementsAre("kept for the cell's other processes", "loaded what process 0 compiled",
                          "loaded what process 0 compiled"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "artifacts"));  // removed with the job
}

TEST(SharedCompilation, EachProcessCompilesByDefaultAndSaysNothingOfIt) {
  const WholeRun run = run_null(null_job(2));
  EXPECT_THAT(how(run.processes), ElementsAre("compile", "compile"));
  EXPECT_THAT(shared_compilations(run.processes), ElementsAre("", ""));
}

TEST(SharedCompilation, AutomaticallyIfCompilingTakesLongerThanMeasuring) {
  const WholeRun dear = run_null(sharing_job(Compilation::automatic, 2, {{"compile_ns", "1000000000"}}));
  EXPECT_THAT(how(dear.processes), ElementsAre("compile", "load"));
  const WholeRun cheap = run_null(sharing_job(Compilation::automatic, 2, {{"run_ns", "20000000"}}));
  EXPECT_THAT(how(cheap.processes), ElementsAre("compile", "compile"));
  for (const std::string& text : shared_compilations(cheap.processes))
    EXPECT_THAT(text, StartsWith("none: compiling took 0.0"));
}

TEST(SharedCompilation, ACellKeepsItsOwnOnly) {
  work::Job job = sharing_job(Compilation::once, 2);
  add_null_cell(job, "b", {{"run_ns", "1000"}});
  const WholeRun run = run_null(job);
  EXPECT_THAT(how(run.processes), ElementsAre("compile", "compile", "load", "load"));
}

TEST(SharedCompilation, WhatDoesNotLoadIsCompiledAgainAndTheReasonIsTold) {
  for (const char* const fault : {"error", "crash"}) {
    const WholeRun run = run_null(
        sharing_job(Compilation::once, 3, {{"fault", fault}, {"fault_phase", "load"}, {"fault_process", "1"}}));
    expect_all_complete(run.processes);
    EXPECT_THAT(how(run.processes), ElementsAre("compile", "compile", "compile"));
    EXPECT_EQ(run.processes[1].attempt, 1);
    for (std::size_t process : {1U, 2U}) {
      EXPECT_THAT(shared_compilations(run.processes)[process],
                  StartsWith("none: what process 0 compiled cannot be used: "));
    }
  }
}

TEST(SharedCompilation, AWrongOutputOfWhatWasLoadedCountsOnlyIfItIsWrongAfterCompilingToo) {
  work::Job job = sharing_job(Compilation::once, 2, {{"fault", "wrong_output"}, {"fault_process", "1"}});
  job.reference = compiler_of(job, 0);
  job.reference->options.clear();
  const WholeRun run = run_null(job);
  ASSERT_EQ(run.processes.size(), 2U);
  EXPECT_FALSE(run.processes[0].failure);
  ASSERT_TRUE(run.processes[1].failure);
  EXPECT_EQ(run.processes[1].failure->kind, samples::FailureKind::inaccurate);
  EXPECT_THAT(how(run.processes), ElementsAre("compile", "compile"));
}

TEST(SharedCompilation, AFailedProcessKeepsNothing) {
  const WholeRun run = run_null(
      sharing_job(Compilation::once, 2,
                  {{"fault", "crash"}, {"fault_process", "0"}, {"fault_attempt", "1"}, {"fault_phase", "timed"}}));
  ASSERT_EQ(run.processes.size(), 3U);
  EXPECT_TRUE(run.processes[0].failure);
  EXPECT_THAT(shared_compilations(run.processes),
              ElementsAre("", "kept for the cell's other processes", "loaded what process 0 compiled"));
}

TEST(SharedCompilation, ACompilerWithoutAFileCompilesEachAndSaysSo) {
  work::Job job = small_job(2);
  job.protocol.compile = Compilation::once;
  add_cell(job, "a");
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 2U);
  for (const std::string& text : shared_compilations(run.processes)) {
    EXPECT_EQ(text, "none: fake makes no file that another process can load");
  }
}

TEST(SharedCompilation, NothingIsKeptIfTheDiskWouldBecomeTooFull) {
  const TemporaryFolder folder;
  SharedCompilation compilation(Compilation::once, folder.path(), std::uint64_t{1} << 62U);
  work::WorkerRequest request;
  request.cell_id = "a";
  compilation.prepare(request, {});
  ASSERT_FALSE(request.artifact_path.empty());
  std::ofstream(request.artifact_path) << "artifact";
  samples::ProcessResult result;
  EXPECT_TRUE(compilation.settle(request, {}, result));
  EXPECT_THAT(result.facts.at("shared_compilation"), StartsWith("none: less than "));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// Runs a job until its first process is recorded, kills the agent, and returns the processes that the next one records.
template <class Meanwhile>
std::vector<samples::ProcessResult> run_with_a_kill(const std::filesystem::path& folder, const work::Job& job,
                                                    const Meanwhile& meanwhile) {
  std::uint64_t last = 0;
  {
    AgentClient client(folder, kReal);
    client.begin(job);
    while (const auto event = client.next_of<samples::Event>()) {
      last = event->sequence;
      client.send(samples::Acknowledge{last});
      if (std::holds_alternative<samples::ProcessResult>(event->body)) break;
    }
    client.kill();
  }
  meanwhile();
  AgentClient client(folder, kReal);
  client.begin(job, last);
  return processes_of(client.follow_to_the_end());
}

std::filesystem::path kept_in(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "artifacts")) {
    if (entry.path().filename() == "artifact" && entry.path().parent_path().extension() != ".partial")
      return entry.path();
  }
  return {};
}

TEST(SharedCompilation, TheNextAgentLoadsWhatAKilledOneKept) {
  const TemporaryFolder folder;
  const work::Job job = sharing_job(Compilation::once, 4, {{"run_ns", "30000000"}});
  const auto rest = run_with_a_kill(folder.path(), job, [] {});
  expect_all_complete(rest);
  ASSERT_GE(rest.size(), 2U);
  for (const std::string& each : how(rest)) EXPECT_EQ(each, "load");
}

TEST(SharedCompilation, TheNextAgentCompilesAgainIfWhatWasKeptIsTorn) {
  const TemporaryFolder folder;
  const work::Job job = sharing_job(Compilation::once, 4, {{"run_ns", "30000000"}});
  const auto rest = run_with_a_kill(folder.path(), job, [&] {
    const std::filesystem::path kept = kept_in(folder.path());
    ASSERT_FALSE(kept.empty());
    std::filesystem::resize_file(kept, 5);
  });
  expect_all_complete(rest);
  ASSERT_GE(rest.size(), 2U);
  const std::vector<std::string> all = how(rest);
  const auto compiled = std::find(all.begin(), all.end(), "compile");
  ASSERT_NE(compiled, all.end());
  for (auto after = compiled + 1; after != all.end(); ++after) EXPECT_EQ(*after, "load");
}

}  // namespace
}  // namespace ngb::agent::test
