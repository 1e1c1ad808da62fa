// SPDX-License-Identifier: Apache-2.0
// Tests a real agent and the real worker with a compiler that does nothing, or fails as its options say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <random>
#include <sstream>

#include "agent_client.h"
#include "null_job.h"
#include "probe/probe.h"
#include "recorder.h"

namespace ngb::agent::test {
namespace {

using samples::FailureKind;
using samples::Phase;
using testing::HasSubstr;

TEST(NullCompiler, OfAnotherVersionThanRequestedFailsAsFallbackBeforeTheTimedPhase) {
  work::Job job = null_job(1);
  compiler_of(job, 0).version = place_of(job, 0).version = "1.30.0";
  const WholeRun run = run_null(job);
  ASSERT_EQ(run.processes.size(), 1U);
  ASSERT_TRUE(run.processes[0].failure);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::fallback);
  EXPECT_THAT(run.processes[0].failure->message,
              HasSubstr("null 1.30.0 was requested, but the loaded library says that it is 1"));
  EXPECT_TRUE(run.processes[0].repetitions.empty());
  compiler_of(job, 0).version = place_of(job, 0).version = "1+cpu";
  EXPECT_FALSE(run_null(job).processes.at(0).failure);
}

TEST(NullCompiler, CompletesEveryProcessWithItsRepetitions) {
  const WholeRun run = run_null(null_job(3));
  ASSERT_EQ(run.processes.size(), 3U);
  for (const auto& process : run.processes) {
    ASSERT_FALSE(process.failure) << process.failure->message;
    EXPECT_EQ(process.repetitions.size(), 11U);
    ASSERT_EQ(process.phases.size(), 6U);
    EXPECT_EQ(process.phases.back().phase, Phase::timed);
    std::int64_t before_ns = 0;
    for (const auto& use : process.phases) {
      ASSERT_TRUE(use.started_ns);
      EXPECT_GE(*use.started_ns, before_ns) << name(use.phase);
      before_ns = *use.started_ns + use.wall_ns;
    }
    EXPECT_LE(before_ns, process.wall_ns);
    EXPECT_GE(process.repetitions.back().started_ns, process.phases.back().started_ns);
    EXPECT_LE(process.repetitions.back().started_ns, before_ns);
    EXPECT_EQ(std::count_if(process.readings.begin(), process.readings.end(),
                            [](const auto& reading) {
                              return reading.quantity == "run_queue_wait" && reading.moment == "timed" &&
                                     (reading.value.value || !reading.value.reason.empty());
                            }),
              1);
  }
}

TEST(NullCompiler, RunsOnAsManyProcessorsAsItHasThreads) {
  work::Job job = null_job(1);
  compiler_of(job, 0).threads = 1;
  const std::string affinity = run_null(job).processes.at(0).facts.at("affinity");
  EXPECT_THAT(affinity, testing::MatchesRegex("[0-9]+"));
}

work::Job with_instances(work::Job job, int instances) {
  compiler_of(job, 0).threads = 1;
  compiler_of(job, 0).instances = instances;
  return job;
}

// Returns the processors that the test may use.
std::size_t processors_here() { return probe::allowed_cpus().size(); }

TEST(NullCompiler, RunsInSeveralInstancesOnProcessorsOfTheirOwn) {
  if (processors_here() < 2) GTEST_SKIP() << "one processor";
  const WholeRun run = run_null(with_instances(null_job(2, {{"run_ns", "2000000"}}), 2));
  ASSERT_EQ(run.processes.size(), 2U);
  for (const auto& process : run.processes) {
    ASSERT_FALSE(process.failure) << process.failure->message;
    const std::string& affinity = process.facts.at("affinity");
    ASSERT_THAT(affinity, testing::MatchesRegex("[0-9]+ . [0-9]+"));
    EXPECT_NE(affinity.substr(0, affinity.find(' ')), affinity.substr(affinity.rfind(' ') + 1));
    std::array<std::size_t, 2> all{};
    std::array<std::size_t, 2> counted{};
    for (const auto& repetition : process.repetitions) {
      ++all.at(repetition.instance);
      counted.at(repetition.instance) += repetition.is_warm_up ? 0 : 1;
    }
    for (const std::size_t instance : {0U, 1U}) {
      EXPECT_GE(all.at(instance), 11U);
      EXPECT_GE(counted.at(instance), 5U) << "of 10, most are in the time of both";
    }
  }
}

TEST(NullCompiler, InMoreInstancesThanThereAreProcessorsFailsWithKeyAndNumbers) {
  const int processors = static_cast<int>(processors_here());
  const WholeRun run = run_null(with_instances(null_job(1), processors + 1));
  ASSERT_EQ(run.processes.size(), 1U);
  ASSERT_TRUE(run.processes[0].failure);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::invalid_option);
  EXPECT_THAT(run.processes[0].failure->message,
              testing::StartsWith(fmt::format(
                  "instances: {0} instances of 1 thread need {0} processors, more than the {1} processors that the "
                  "device lets a process use",
                  processors + 1, processors)));
}

TEST(NullCompiler, ACrashInOneInstanceIsTheProcessesCrash) {
  if (processors_here() < 2) GTEST_SKIP() << "one processor";
  work::Job job = with_instances(null_job(1, {{"fault", "\"crash\""}}), 2);
  job.limits.attempts = 1;
  const WholeRun run = run_null(job);
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::crash);
  EXPECT_EQ(run.processes[0].failure->signal, SIGSEGV);
}

TEST(NullCompiler, CrashesAndIsTriedAgain) {
  const WholeRun run = run_null(null_job(2, {{"fault", "\"crash\""}, {"fault_attempt", "1"}, {"fault_process", "1"}}));
  ASSERT_EQ(run.processes.size(), 3U);
  EXPECT_EQ(run.processes[1].failure->kind, FailureKind::crash);
  EXPECT_EQ(run.processes[1].failure->signal, SIGSEGV);
  EXPECT_EQ(run.processes[1].failure->phase, Phase::timed);
  EXPECT_EQ(run.processes[2].attempt, 2);
  EXPECT_FALSE(run.processes[2].failure);
}

TEST(NullCompiler, HangsInItsCompilationAndIsEnded) {
  work::Job job = null_job(1, {{"fault", "\"hang\""}, {"fault_phase", "\"compile\""}});
  job.limits.timeouts.compile_ns = 3'000'000'000;
  const WholeRun run = run_null(job);
  ASSERT_EQ(run.processes.size(), 2U);
  EXPECT_EQ(run.processes[1].failure->kind, FailureKind::timeout);
  EXPECT_EQ(run.processes[1].failure->phase, Phase::compile);
}

TEST(NullCompiler, HangsInARepetitionAndIsEnded) {
  work::Job job = null_job(1, {{"fault", "\"hang\""}});
  job.limits.timeouts.run_ns = 2'000'000'000;
  const WholeRun run = run_null(job);
  ASSERT_EQ(run.processes.size(), 2U);
  EXPECT_EQ(run.processes[1].failure->kind, FailureKind::timeout);
  EXPECT_EQ(run.processes[1].failure->phase, Phase::timed);
}

TEST(NullCompiler, ExitsWithoutAResult) {
  const WholeRun run = run_null(null_job(1, {{"fault", "\"exit\""}}));
  ASSERT_EQ(run.processes.size(), 2U);
  EXPECT_EQ(run.processes[1].failure->kind, FailureKind::exit);
  EXPECT_EQ(run.processes[1].failure->exit_code, 7);
}

TEST(NullCompiler, AllocatesMemoryAndIsStoppedAtTheLimit) {
  work::Job job = null_job(1, {{"fault", "\"eat_memory\""}, {"fault_phase", "\"compile\""}});
  job.limits.memory_bytes = 400'000'000;
  job.limits.attempts = 1;
  const WholeRun run = run_null(job);
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::out_of_memory) << run.processes[0].failure->message;
  EXPECT_EQ(run.processes[0].failure->phase, Phase::compile);
}

TEST(NullCompiler, IsComparedWithReferenceOutputs) {
  work::Job job = null_job(2);
  job.reference = compiler_of(job, 0);
  add_null_cell(job, "wrong", {{"fault", "\"wrong_output\""}});
  const WholeRun run = run_null(job);
  ASSERT_EQ(run.processes.size(), 3U);
  EXPECT_EQ(run.processes[0].check->reference, "null");
  EXPECT_EQ(run.processes[1].cell_id, "wrong");
  EXPECT_EQ(run.processes[1].failure->kind, FailureKind::inaccurate);
}

TEST(NullCompiler, RefusesAnOptionItDoesNotKnow) {
  const WholeRun run = run_null(null_job(2, {{"speed", "\"high\""}}));
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::invalid_option);
}

TEST(NullCompiler, SurvivesTenKillsOfItsAgentWithEqualResults) {
  const auto job = [] {
    work::Job made = null_job(5, {{"run_ns", "300000"}});
    add_null_cell(made, "crashing", {{"fault", "\"crash\""}, {"fault_process", "2"}, {"fault_attempt", "1"}});
    add_null_cell(made, "lost", {{"fault", "\"exit\""}, {"fault_process", "3"}});
    return made;
  };
  const TemporaryFolder folder;
  Recorder recorder;
  std::mt19937 random(20261121);
  std::uniform_int_distribution<int> instant_ms(20, 300);
  for (int kills = 0; kills < 10 && !recorder.is_finished(); ++kills) {
    run_for(
        folder.path(), job(), recorder, std::chrono::milliseconds(instant_ms(random)),
        [](AgentClient& client) { client.kill(); }, kReal);
  }
  run_for(folder.path(), job(), recorder, std::chrono::seconds(240), [](AgentClient&) {}, kReal);
  ASSERT_TRUE(recorder.is_finished());
  EXPECT_FALSE(recorder.has_gaps());
  std::map<std::string, int> completed;
  std::map<std::string, int> failed;
  for (const auto& [process, content] : recorder.results()) {
    ++(content.starts_with("completed") ? completed : failed)[std::get<0>(process)];
  }
  EXPECT_EQ(completed, (std::map<std::string, int>{{"a", 5}, {"crashing", 5}, {"lost", 3}}));
  EXPECT_EQ(failed, (std::map<std::string, int>{{"crashing", 1}, {"lost", 2}}));
}

std::uint64_t cpu_ns(pid_t pid) {
  std::istringstream stream(file::read("/proc/" + std::to_string(pid) + "/schedstat").value_or("0"));
  std::uint64_t ns = 0;
  stream >> ns;
  return ns;
}

std::uint64_t peak_rss_bytes(pid_t pid) {
  const std::string status = file::read("/proc/" + std::to_string(pid) + "/status").value_or("");
  const std::size_t at = status.find("VmHWM:");
  return at == std::string::npos ? 0 : std::stoull(status.substr(at + 6)) * 1024;
}

TEST(AgentCost, IsLittleMemoryAndHardlyAnyProcessorWhileRepetitionsAreTimed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need memory and time of their own";
#endif
  const TemporaryFolder folder;
  work::Job job = null_job(1, {{"run_ns", "10000000"}});
  job.protocol.repetitions = 1000;
  AgentClient client(folder.path(), kReal);
  client.begin(job);
  std::vector<std::uint64_t> used_ns;  // read once a second while repetitions are timed
  while (used_ns.size() < 5) {
    const auto message = client.next();
    ASSERT_TRUE(message);
    const auto* progress = std::get_if<samples::Progress>(&*message);
    if (progress != nullptr && progress->phase == Phase::timed) used_ns.push_back(cpu_ns(client.pid()));
  }
  const double share_percent = static_cast<double>(used_ns.back() - used_ns.front()) / 4e9 * 100;
  std::printf("agent: %.3f %% of a core, %.1f MB resident\n", share_percent,
              static_cast<double>(peak_rss_bytes(client.pid())) / 1e6);
  EXPECT_LT(share_percent, 0.5);
  EXPECT_GT(used_ns.back(), 0U);
  EXPECT_LT(peak_rss_bytes(client.pid()), 20'000'000U);
  EXPECT_GT(peak_rss_bytes(client.pid()), 0U);
  client.send(samples::Stop{});
}

}  // namespace
}  // namespace ngb::agent::test
