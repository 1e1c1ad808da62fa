// SPDX-License-Identifier: Apache-2.0
// Tests a real agent that runs loads beside a worker that is timed for 300 ms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "agent/workers/process_tree.h"
#include "agent_client.h"
#include "base/text.h"

namespace ngb::agent::test {
namespace {

using samples::FailureKind;
using testing::HasSubstr;
using testing::StartsWith;
using work::LoadKind;

// Returns a job of one cell under this load.
work::Job job_under(work::Load load, const std::string& behave = "") {
  work::Job job = small_job(1);
  job.loads = {work::Load{}, std::move(load)};
  add_cell(job, "a", behave);
  job.cells[0].load_index = 1;
  return job;
}

work::Load command(const std::string& words, double wait_s = 0) {
  return {.kind = LoadKind::command,
          .command = words,
          .place = work::LoadPlace::all,
          .wait_s = wait_s,
          .name = "command: " + words};
}

// Returns the value of a reading over the timed phase; -1 if there is none.
double timed(const samples::ProcessResult& result, std::string_view quantity) {
  for (const samples::Reading& reading : result.readings) {
    if (reading.quantity == quantity && reading.moment == "timed") return reading.value.value.value_or(-1);
  }
  return -1;
}

// Returns the process whose number a command has written to the file; 0 if it has not.
pid_t pid_in(const std::filesystem::path& file) {
  return std::atoi(file::read(file).value_or("0").c_str());  // NOLINT(cert-err34-c): a shell wrote it
}

TEST(LoadedAgent, BurnsAProcessorWhileACellIsTimedAndRecordsHowMuch) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), job_under({.kind = LoadKind::cpu, .processors = 1, .name = "cpu: 1"}));
  ASSERT_EQ(run.processes.size(), 1U);
  ASSERT_FALSE(run.processes[0].failure) << run.processes[0].failure->message;
  // The worker sleeps; a busy machine may give the load less than a processor.
  EXPECT_GT(timed(run.processes[0], "load_cpu"), 3);
  EXPECT_LE(timed(run.processes[0], "load_cpu"), 102);
  EXPECT_GT(timed(run.processes[0], "load_cpu_time"), 0.01);
  EXPECT_TRUE(ends_finished(run.events));
}

TEST(LoadedAgent, BurnsAShareOfAProcessor) {
  const TemporaryFolder folder;
  const WholeRun run =
      run_job(folder.path(), job_under({.kind = LoadKind::cpu, .processors = 0.2, .name = "cpu: 20%"}));
  ASSERT_FALSE(run.processes.at(0).failure) << run.processes[0].failure->message;
  EXPECT_GT(timed(run.processes[0], "load_cpu"), 1);
  EXPECT_LT(timed(run.processes[0], "load_cpu"), 27);
}

TEST(LoadedAgent, MovesMemoryAtTheRateThatIsAskedFor) {
  const TemporaryFolder folder;
  const WholeRun run =
      run_job(folder.path(), job_under({.kind = LoadKind::memory, .bytes_per_s = 2e8, .name = "memory: 200 MB/s"}));
  ASSERT_FALSE(run.processes.at(0).failure) << run.processes[0].failure->message;
  EXPECT_GT(timed(run.processes[0], "load_memory"), 2e7);
  EXPECT_LT(timed(run.processes[0], "load_memory"), 2.2e8);
}

TEST(LoadedAgent, RunsACommandOnlyBesideItsCellAndEndsAllThatItStarted) {
  double load_cpu_percent = 0;
  for (const double wait_s : {0.3, 3.0, 30.0}) {  // a busy machine may need longer to start it, and to let it run
    const TemporaryFolder folder;
    const std::filesystem::path pid = folder.path() / "pid";
    // A grandchild in a session of its own, whose parent has ended.
    const std::string words = "(setsid sh -c 'echo $$ > " + pid.string() + "; while true; do :; done' &) ; sleep 1000";
    const WholeRun run = run_job(folder.path() / "work", job_under(command(words, wait_s)));
    ASSERT_FALSE(run.processes.at(0).failure) << run.processes[0].failure->message;
    EXPECT_FALSE(pid_in(pid) > 0 && is_alive(pid_in(pid)));
    EXPECT_EQ(timed(run.processes[0], "load_memory"), -1) << "nobody knows what a command moves";
    load_cpu_percent = timed(run.processes[0], "load_cpu");
    if (load_cpu_percent > 3) break;
  }
  EXPECT_GT(load_cpu_percent, 3) << "the grandchild's time counts";
}

TEST(LoadedAgent, LeavesNothingOfACommandWhenItIsKilled) {
  const TemporaryFolder folder;
  const std::filesystem::path pid = folder.path() / "pid";
  const std::string words = "sh -c 'echo $$ > " + pid.string() + "; while true; do sleep 0.01; done'; true";
  AgentClient client(folder.path() / "work");
  client.begin(job_under(command(words), "long"));
  for (int i = 0; i < 1000 && pid_in(pid) == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_GT(pid_in(pid), 0);
  ASSERT_TRUE(is_alive(pid_in(pid)));
  client.kill();
  client.wait();
  for (int i = 0; i < 1000 && is_alive(pid_in(pid)); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(is_alive(pid_in(pid)));
}

TEST(LoadedAgent, StoresAFailureIfACommandCannotBeFound) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), job_under(command("no-such-program --now", 5)));
  ASSERT_TRUE(run.processes.at(0).failure);
  const samples::Failure& failure = *run.processes[0].failure;
  EXPECT_EQ(failure.kind, FailureKind::load_failed);
  EXPECT_THAT(failure.message,
              StartsWith("loads: command: no-such-program --now: it ended before the cell was timed, after "));
  EXPECT_THAT(failure.message, HasSubstr("with exit code 127"));
  EXPECT_THAT(failure.message, HasSubstr("not found"));
  EXPECT_THAT(failure.advice, StartsWith("the command must run until it is ended"));
  EXPECT_TRUE(ends_finished(run.events));
}

TEST(LoadedAgent, StoresAFailureIfALoadEndsWhileTheCellIsTimed) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), job_under(command("sleep 2; kill -9 $$"), "long"));
  ASSERT_TRUE(run.processes.at(0).failure);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::load_failed);
  EXPECT_EQ(run.processes[0].failure->phase, samples::Phase::timed);
  EXPECT_THAT(run.processes[0].failure->message, HasSubstr("it ended while the cell was timed, after "));
  EXPECT_THAT(run.processes[0].failure->message, HasSubstr("with signal 9"));
}

TEST(LoadedAgent, StoresAFailureIfTheMachineHasFewerProcessors) {
  const TemporaryFolder folder;
  const WholeRun run =
      run_job(folder.path(), job_under({.kind = LoadKind::cpu, .processors = 4096, .name = "cpu: 4096"}));
  ASSERT_TRUE(run.processes.at(0).failure);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::load_failed);
  EXPECT_THAT(run.processes[0].failure->message, StartsWith("loads: cpu: 4096: it needs 4096 processors"));
  EXPECT_EQ(run.processes.size(), 1U) << "another attempt would end likewise";
}

TEST(LoadedAgent, DoesNotCountItsLoadAsADisturbance) {
  const TemporaryFolder folder;
  work::Job job = job_under({.kind = LoadKind::cpu, .processors = 1, .name = "cpu: 1"}, "waits");
  job.limits.disturbance = {.max_wait_ratio = 0.9, .attempts = 1, .wait_ns = 0};
  const WholeRun run = run_job(folder.path(), job);
  EXPECT_FALSE(run.processes.at(0).failure) << run.processes[0].failure->message;
}

TEST(ProcessTree, CountsTheTimeOfEndedChildren) {
  process::Spawn spawn{{"/bin/sh", "-c", "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; sleep 100"}};
  const Result<pid_t> pid = process::spawn(spawn);
  ASSERT_TRUE(pid);
  std::int64_t used_ns = 0;
  for (int i = 0; i < 1000 && descendants(*pid).size() != 1; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  for (int i = 0; i < 1000; ++i) {
    used_ns = cpu_ns_of(*pid);
    const std::vector<pid_t> below = descendants(*pid);
    if (below.size() == 1 &&
        text::trim(file::read("/proc/" + std::to_string(below[0]) + "/comm").value_or("")) == "sleep")
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GE(cpu_ns_of(*pid), used_ns);
  EXPECT_GT(used_ns, 20'000'000);
  for (const pid_t below : descendants(*pid)) ::kill(below, SIGKILL);
  ::kill(*pid, SIGKILL);
  ::waitpid(*pid, nullptr, 0);
}

}  // namespace
}  // namespace ngb::agent::test
