// SPDX-License-Identifier: Apache-2.0
// Tests a real agent whose job asks for turns, with real workers of the null compiler and with workers that misbehave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "agent_client.h"
#include "null_job.h"

namespace ngb::agent::test {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::StartsWith;

// Returns the cells in the order in which they repeated, each turn once: "abab".
std::string order_of_turns(const std::vector<samples::ProcessResult>& processes) {
  std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> repetitions;
  for (const samples::ProcessResult& process : processes) {
    for (const samples::Repetition& repetition : process.repetitions) {
      const std::int64_t begin = process.started_unix_ns + repetition.started_ns.value_or(0);
      if (!repetition.is_warm_up) repetitions.emplace_back(begin, begin + repetition.wall_ns, process.cell_id);
    }
  }
  std::sort(repetitions.begin(), repetitions.end());
  std::string order;
  std::int64_t last_end = 0;
  for (const auto& [begin, end, cell] : repetitions) {
    EXPECT_GE(begin, last_end) << "two processes ran at once";
    last_end = end;
    if (order.empty() || !order.ends_with(cell)) order += cell;
  }
  return order;
}

work::Job job_in_turns(int turns, int processes = 1) {
  work::Job job = null_job(processes, {{"run_ns", "2000000"}});
  add_null_cell(job, "b", {{"run_ns", "1000000"}});
  job.protocol.turns = turns;
  return job;
}

TEST(Turns, AlternateBetweenTheProcessesOfARoundAndNoTwoRunAtOnce) {
  const WholeRun run = run_null(job_in_turns(5));
  ASSERT_EQ(run.processes.size(), 2U);
  EXPECT_EQ(order_of_turns(run.processes), "ababababab");
  for (const samples::ProcessResult& process : run.processes) {
    EXPECT_EQ(std::count_if(process.repetitions.begin(), process.repetitions.end(),
                            [](const samples::Repetition& each) { return !each.is_warm_up; }),
              10);
    EXPECT_EQ(process.facts.at("turns"), "5, with 1 other process");
  }
}

TEST(Turns, OfTheNextRoundBeginWhenAllOfThisOneHaveEnded) {
  EXPECT_EQ(order_of_turns(run_null(job_in_turns(2, 2)).processes), "abababab");
}

TEST(Turns, AreNoneUnlessTheJobAsksForThem) {
  const WholeRun run = run_null(job_in_turns(1));
  EXPECT_EQ(order_of_turns(run.processes), "ab");
  EXPECT_FALSE(run.processes[0].facts.contains("turns"));
}

TEST(Turns, LeaveTheTimeOfOthersOutOfTheTimedPhase) {
  const WholeRun run = run_null(job_in_turns(10));
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;
  std::int64_t both = 0;
  for (const samples::ProcessResult& process : run.processes) {
    const auto found = std::find_if(process.phases.begin(), process.phases.end(),
                                    [](const auto& use) { return use.phase == samples::Phase::timed; });
    ASSERT_NE(found, process.phases.end());
    const samples::PhaseUse& timed = *found;
    std::int64_t own = 0;
    for (const samples::Repetition& repetition : process.repetitions) {
      if (!repetition.is_warm_up) own += repetition.wall_ns;
    }
    EXPECT_GE(timed.wall_ns, own) << process.cell_id;
    constexpr std::int64_t kTick_ns = 10'000'000;
    EXPECT_LE(*timed.cpu_ns.value, timed.wall_ns + kTick_ns) << process.cell_id;
    both += timed.wall_ns;
    begin = std::min(begin, process.started_unix_ns + *timed.started_ns);
    end = std::max(
        end, process.started_unix_ns + *process.repetitions.back().started_ns + process.repetitions.back().wall_ns);
  }
  // Between the turns, each prepares itself 10 times for at least 2 ms.
  EXPECT_LE(both, end - begin - 30'000'000);
}

TEST(Turns, OfAProcessThatCrashesGoToTheOthers) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a", "crash_in_turn");
  add_cell(job, "b");
  job.protocol.turns = 3;
  job.limits.attempts = 1;
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 2U);
  EXPECT_EQ(run.processes[0].failure->kind, samples::FailureKind::crash);
  EXPECT_FALSE(run.processes[1].failure);
  EXPECT_TRUE(ends_finished(run.events));
}

TEST(Turns, AreTakenAgainByTheWholeRoundIfOneOfItWasDisturbed) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a", "waits", "0:1");
  add_cell(job, "b");
  job.protocol.turns = 2;
  job.limits.disturbance = {.attempts = 3, .wait_ns = 0};
  const WholeRun run = run_job(folder.path(), job);
  std::vector<std::pair<std::string, int>> tried;
  for (const auto& process : run.processes) tried.emplace_back(process.cell_id, process.attempt);
  EXPECT_THAT(tried, ElementsAre(Pair("a", 1), Pair("b", 1), Pair("a", 2), Pair("b", 2)));
  EXPECT_EQ(run.processes[1].failure->kind, samples::FailureKind::disturbed);
  EXPECT_THAT(run.processes[1].failure->message,
              StartsWith("another process of its round was disturbed: a thread waited for a processor in 40 %"));
  EXPECT_FALSE(run.processes[3].failure);
}

// Returns "cell attempt: failure, or how many others there were" of each process, in the order recorded.
std::vector<std::string> told(const std::vector<samples::ProcessResult>& processes) {
  std::vector<std::string> lines;
  for (const samples::ProcessResult& process : processes) {
    const std::string how = process.failure ? std::string(name(process.failure->kind)) : process.facts.at("turns");
    lines.push_back(process.cell_id + std::to_string(process.process_index) + " " + std::to_string(process.attempt) +
                    ": " + how);
  }
  return lines;
}

TEST(Turns, AreTakenAgainByTheWholeRoundIfOneOfItIsTriedAgainAfterACrash) {
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  add_cell(job, "a");
  add_cell(job, "b", "crash_in_turn", "0:1");
  add_cell(job, "c");
  job.protocol.turns = 2;
  job.limits.attempts = 2;
  const WholeRun run = run_job(folder.path(), job);
  EXPECT_THAT(told(run.processes),
              ElementsAre("b0 1: crash", "a0 1: 2, with 2 other processes", "b0 2: 2, with 2 other processes",
                          "c0 1: 2, with 2 other processes", "a1 1: 2, with 2 other processes",
                          "b1 1: 2, with 2 other processes", "c1 1: 2, with 2 other processes"));
}

TEST(Turns, OfARoundAreOneRecordSoThatNoKillCutsItInTwo) {
  const TemporaryFolder folder;
  work::Job job = small_job(3);
  for (const char* const id : {"a", "b", "c", "d"}) add_cell(job, id);
  job.protocol.turns = 2;
  std::uint64_t last = 0;
  std::vector<samples::ProcessResult> processes;
  for (int kills = 0; kills < 3; ++kills) {
    AgentClient client(folder.path());
    client.begin(job, last);
    while (const auto event = client.next_of<samples::Event>()) {
      last = event->sequence;
      const auto* const process = std::get_if<samples::ProcessResult>(&event->body);
      if (process == nullptr) continue;
      processes.push_back(*process);
      EXPECT_EQ(client.records_of_several(), 1);
      if (process->cell_id != "d") continue;
      client.kill();
      break;
    }
    client.wait();
  }
  EXPECT_EQ(processes.size(), 12U);
  for (const auto& process : processes) EXPECT_EQ(process.facts.at("turns"), "2, with 3 other processes");
  EXPECT_TRUE(run_job(folder.path(), job, last).processes.empty());
}

TEST(Turns, OfOthersCountNeitherForTheTimeLimitNorAsTimeOfTheProcess) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  for (const char* const id : {"a", "b", "c", "d", "e", "f"}) add_cell(job, id, "slow_turns");
  job.protocol.turns = 2;
  job.limits.timeouts.run_ns = 4'000'000'000;  // each needs 0.8 s of its own, all together 4.8 s
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 6U);
  for (const auto& process : run.processes) {
    EXPECT_FALSE(process.failure) << process.cell_id;
    EXPECT_LT(process.wall_ns, 4'000'000'000) << process.cell_id;
  }
}

}  // namespace
}  // namespace ngb::agent::test
