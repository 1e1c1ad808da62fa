// SPDX-License-Identifier: Apache-2.0
// Tests a real agent whose worker has a speed of its own in each round (fake_worker.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent_client.h"

namespace ngb::agent::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using CellIds = std::vector<std::string>;

constexpr int kMostRounds = 6;

// A job of cells whose repetitions take so many microseconds in round 0, 1, …, the first one being the baseline.
work::Job job_until_decided(const std::vector<std::string>& walls_us) {
  work::Job job = small_job(kMostRounds);
  job.protocol.rounds = work::Rounds{.max = kMostRounds, .until = work::Until::decided_against_baseline};
  for (std::size_t i = 0; i < walls_us.size(); ++i) {
    add_cell(job, std::string(1, static_cast<char>('a' + i)));
    compiler_of(job, i).options.emplace_back("walls_us", walls_us[i]);
    if (i > 0) job.groups[0].questions.push_back({static_cast<int>(i), 0});
  }
  return job;
}
constexpr const char* kSteady = "1000,1001,999,1000,1001,999";
constexpr const char* kTwiceAsSlow = "2000,2002,2001,2000,2002,2001";
constexpr const char* kNoisy = "1100,900,1000,1150,850,1000";

CellIds order_of(const std::vector<samples::ProcessResult>& processes) {
  CellIds order;
  for (const auto& process : processes) order.push_back(process.cell_id + std::to_string(process.process_index));
  return order;
}

CellIds ended(const std::vector<samples::Event>& events) {
  CellIds cells;
  for (const samples::Event& event : events) {
    const auto* rounds = std::get_if<samples::RoundsEnded>(&event.body);
    if (rounds != nullptr) cells.insert(cells.end(), rounds->cell_ids.begin(), rounds->cell_ids.end());
  }
  return cells;
}

TEST(AgentsRounds, EndWhenEveryQuestionIsDecided) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), job_until_decided({kSteady, kTwiceAsSlow}));
  EXPECT_THAT(order_of(run.processes), ElementsAre("a0", "b0", "a1", "b1", "a2", "b2"));
  EXPECT_THAT(ended(run.events), ElementsAre("a", "b"));
  EXPECT_TRUE(ends_finished(run.events));
}

TEST(AgentsRounds, GoOnForTheCellsOfAnOpenQuestionOnly) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), job_until_decided({kSteady, kTwiceAsSlow, kNoisy}));
  EXPECT_THAT(order_of(run.processes),
              ElementsAre("a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2", "a3", "c3", "a4", "c4", "a5", "c5"));
  EXPECT_THAT(ended(run.events), ElementsAre("b"));
}

TEST(AgentsRounds, EndWhereTheyWouldHaveAfterTheAgentWasKilled) {
  const TemporaryFolder folder;
  const work::Job job = job_until_decided({kSteady, kTwiceAsSlow});
  std::uint64_t last = 0;
  {
    AgentClient client(folder.path());
    client.begin(job);
    for (int process = 0; process < 3;) {
      const auto event = client.next_of<samples::Event>();
      ASSERT_TRUE(event);
      last = event->sequence;
      if (std::holds_alternative<samples::ProcessResult>(event->body)) ++process;
    }
    client.kill();
    client.wait();
  }
  const WholeRun run = run_job(folder.path(), job, last);
  EXPECT_EQ(run.processes.back().process_index, 2);
  EXPECT_THAT(ended(run.events), ElementsAre("a", "b"));
}

// The client has recorded rounds 0 to 2 on a device that was replaced: nothing is left to measure.
TEST(AgentsRounds, AreDecidedFromTheSpeedsThatTheClientHasRecordedToo) {
  const TemporaryFolder folder;
  const work::Job job = job_until_decided({kSteady, kTwiceAsSlow});
  const WholeRun first = run_job(folder.path() / "first", job);
  samples::Completed recorded;
  recorded.made_with = first.processes.front().made_with;
  recorded.environment_hash = first.processes.front().environment_hash;
  for (const samples::ProcessResult& process : first.processes) {
    recorded.processes[process.cell_id].push_back(process.process_index);
    recorded.numbers[process.cell_id].push_back({1e9 / static_cast<double>(process.repetitions[1].wall_ns)});
  }
  AgentClient client(folder.path() / "second");
  client.send(samples::Hello{});
  client.send(job);
  client.send(recorded);
  client.send(samples::Follow{});
  const std::vector<samples::Event> events = client.follow_to_the_end();
  EXPECT_THAT(processes_of(events), IsEmpty());
  EXPECT_THAT(ended(events), ElementsAre("a", "b"));
  EXPECT_TRUE(ends_finished(events));
}

TEST(AgentsRounds, OfACellThatFailsLeaveTheOthersAlone) {
  const TemporaryFolder folder;
  work::Job job = job_until_decided({kSteady, kTwiceAsSlow, kSteady});
  compiler_of(job, 2).options = {{"behave", "wrong"}};
  const WholeRun run = run_job(folder.path(), job);
  EXPECT_THAT(ended(run.events), ElementsAre("a", "b"));
  EXPECT_EQ(run.processes.size(), 3U + 3U + 1U);
}

// A job of two models, so that there are two groups: "a" is the cell of the first, "b" that of the second.
work::Job job_of_two_groups(const char* walls_of_a, const char* walls_of_b) {
  work::Job job = job_until_decided({walls_of_a, walls_of_b});
  job.models.push_back(job.models.front());
  job.models.back().key.hash = "fedcba9876543210fedc";
  job.groups[0].steps.clear();
  job.groups[0].questions.clear();
  job.groups.push_back({.model_index = 1});
  job.cells[1].model_index = 1;
  for (int round = 0; round < kMostRounds; ++round) {
    job.groups[0].steps.push_back({0, round});
    job.groups[1].steps.push_back({1, round});
  }
  return job;
}

// The same job, all of whose rounds are wanted.
work::Job job_of_all_rounds(work::Order order) {
  work::Job job = job_of_two_groups(kSteady, kSteady);
  job.protocol.rounds.reset();
  job.protocol.processes = kMostRounds;
  job.order = order;
  return job;
}

TEST(AgentsRounds, AreMeasuredForAllModelsBeforeTheNextRound) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), job_of_all_rounds(work::Order::rounds));
  EXPECT_THAT(order_of(run.processes),
              ElementsAre("a0", "b0", "a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4", "a5", "b5"));
  EXPECT_TRUE(ends_finished(run.events));
}

TEST(AgentsRounds, OfAModelFollowOneAnotherIfTheStudyAsksForThat) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), job_of_all_rounds(work::Order::groups));
  EXPECT_THAT(order_of(run.processes),
              ElementsAre("a0", "a1", "a2", "a3", "a4", "a5", "b0", "b1", "b2", "b3", "b4", "b5"));
  EXPECT_TRUE(ends_finished(run.events));
}

// "a" and "b" have no question, so that three rounds are enough for each.
TEST(AgentsRounds, OfAllModelsEndWhenTheyAreDecided) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), job_of_two_groups(kSteady, kTwiceAsSlow));
  EXPECT_THAT(order_of(run.processes), ElementsAre("a0", "b0", "a1", "b1", "a2", "b2"));
  EXPECT_THAT(ended(run.events), testing::UnorderedElementsAre("a", "b"));
  EXPECT_TRUE(ends_finished(run.events));
}

TEST(AgentsRounds, OfWhatIsDecidedSoonestComeFirstIfTheTimeIsLimited) {
  const TemporaryFolder folder;
  work::Job job = job_of_two_groups(kNoisy, kTwiceAsSlow);
  job.order = work::Order::soonest;
  const WholeRun run = run_job(folder.path(), job);
  EXPECT_THAT(order_of(run.processes), ElementsAre("a0", "b0", "a1", "b1", "a2", "b2"));
  EXPECT_THAT(ended(run.events), testing::UnorderedElementsAre("a", "b"));
  EXPECT_TRUE(ends_finished(run.events));
}

}  // namespace
}  // namespace ngb::agent::test
