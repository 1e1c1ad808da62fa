// SPDX-License-Identifier: Apache-2.0
// Tests a real agent with jobs that have changed, arrive in pieces or do not arrive.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "agent/builds.h"
#include "agent_client.h"
#include "work/job_parts.h"

namespace ngb::agent::test {
namespace {

using testing::HasSubstr;

// Returns a job of two cells. The tests change why the second one's toolchain is missing.
work::Job job_without_toolchain(const std::string& why_missing) {
  work::Job job = small_job(2);
  add_cell(job, "there");
  add_cell(job, "missing");
  place_of(job, 1).why_missing = why_missing;
  return job;
}

TEST(Agent, SendsEarlierResultsAgainForAJobWhoseTextsAndLimitsChanged) {
  const TemporaryFolder folder;
  const WholeRun first = run_job(folder.path(), job_without_toolchain("there is no network"));
  ASSERT_EQ(first.processes.size(), 3U);  // two of the first cell, one failure of the second
  // The second client has recorded nothing, and its job has another reason and another timeout.
  work::Job other = job_without_toolchain("versions near it that have one: 2.1");
  other.limits.timeouts.run_ns /= 2;
  const WholeRun again = run_job(folder.path(), other);
  ASSERT_EQ(again.processes.size(), first.processes.size());
  for (std::size_t i = 0; i < first.processes.size(); ++i) {
    EXPECT_EQ(again.processes[i].started_unix_ns, first.processes[i].started_unix_ns);
  }
  EXPECT_TRUE(ends_finished(again.events));
  std::size_t ends = 0;
  for (std::uint64_t i = 0; i < again.events.size(); ++i) {
    EXPECT_EQ(again.events[i].sequence, i + 1);
    if (std::holds_alternative<samples::Finished>(again.events[i].body)) ++ends;
  }
  EXPECT_EQ(ends, 1U);
}

TEST(Agent, MeasuresOnlyTheCellsWhoseToolchainWasInstalledSince) {
  const TemporaryFolder folder;
  const WholeRun first = run_job(folder.path(), job_without_toolchain("there is no network"));
  const WholeRun again = run_job(folder.path(), job_without_toolchain(""), first.events.back().sequence);
  ASSERT_EQ(again.processes.size(), 2U);
  for (const samples::ProcessResult& result : again.processes) {
    EXPECT_EQ(result.cell_id, "missing");
    EXPECT_FALSE(result.failure);
  }
  EXPECT_TRUE(ends_finished(again.events));
}

TEST(Agent, AnswersAFetchWithoutAJobAndStartsNothing) {
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  add_cell(job, "a");
  const WholeRun first = run_job(folder.path(), job);
  AgentClient client(folder.path());
  client.send(samples::Hello{});
  client.send(samples::Fetch{"run-1", 2, false});
  std::vector<samples::Event> events;
  std::uint64_t last = 0;
  while (const std::optional<samples::AgentMessage> message = client.next()) {
    if (const auto* event = std::get_if<samples::Event>(&*message)) events.push_back(*event);
    if (const auto* fetched = std::get_if<samples::Fetched>(&*message)) {
      last = fetched->last_sequence;
      break;
    }
  }
  ASSERT_EQ(events.size(), first.events.size() - 2);
  EXPECT_EQ(events.front().sequence, 3U);
  EXPECT_EQ(last, first.events.back().sequence);
}

TEST(Agent, SendsNothingForARunThatItDoesNotKnow) {
  const TemporaryFolder folder;
  AgentClient client(folder.path());
  client.send(samples::Hello{});
  client.send(samples::Fetch{"run-9", 0, true});
  const auto fetched = client.next_of<samples::Fetched>();
  ASSERT_TRUE(fetched);
  EXPECT_EQ(fetched->last_sequence, 0U);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "journal"));
}

// Returns these processes as completed, with the provenance that the agent of these tests gives them.
samples::Completed completed_elsewhere(const work::Place& place,
                                       const std::map<std::string, std::vector<int>>& processes) {
  const Surroundings here{.worker = fake_worker(), .lib = Programs{}.lib};
  return {Builds(here).of(place, nullptr).value(), "elsewhere", processes};
}

TEST(Agent, ReceivesAJobInPiecesAndWaitsForTheLast) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  for (int i = 0; i < 3; ++i) add_cell(job, "cell " + std::to_string(i));
  AgentClient client(folder.path());
  client.send(samples::Hello{});
  work::Job head = job;
  head.models.clear();
  head.cells.clear();
  head.groups.clear();
  head.continues = true;
  client.send(head);
  client.send(work::JobPart{job.models, {job.cells[0], job.cells[1]}, {{"", 0, {{0, 0}, {1, 0}}}}});
  client.send(work::JobPart{{}, {job.cells[2]}, {{"", 0, {{2, 0}}}}, true});
  client.send(completed_elsewhere(place_of(job, 1), {{"cell 1", {0}}}));
  client.send(samples::Follow{});
  const std::vector<samples::ProcessResult> results = processes_of(client.follow_to_the_end());
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].cell_id, "cell 2");
}

// Other messages before the whole job are refused, so that nothing begins with half of a job.
TEST(Agent, RefusesToFollowHalfAJob) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  job.continues = true;
  AgentClient client(folder.path());
  client.begin(job);
  client.follow_to_the_end();
  ASSERT_TRUE(client.error());
  EXPECT_THAT(client.error()->what, HasSubstr("whole job"));
}

// Every cell but the last is recorded already, so this is fast. NGB_CELLS=1000000 tests the largest study.
TEST(Agent, ReceivesAHundredThousandCellsOfOneModel) {
  const char* const asked = std::getenv("NGB_CELLS");
  const int cells = asked == nullptr ? 100'000 : std::atoi(asked);
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "cell");
  const work::Cell cell = job.cells[0];
  const work::Place place = place_of(job, 0);
  job.cells.clear();
  job.groups[0].steps.clear();
  std::map<std::string, std::vector<int>> completed;
  for (int i = 0; i < cells; ++i) {
    job.cells.push_back(cell);
    job.cells.back().id = fmt::format("{:016x}", i);
    job.groups[0].steps.push_back({i, 0});
    if (i + 1 < cells) completed[job.cells.back().id] = {0};
  }
  AgentClient client(folder.path());
  client.send(samples::Hello{});
  work::JobParts parts(std::move(job), samples::kMaxFrameBytes);
  for (auto part = parts.next(); part && *part; part = parts.next())
    std::visit([&client](const auto& message) { client.send_all(message); }, **part);
  for (const samples::Completed& part : samples::completed_parts({completed_elsewhere(place, completed)}))
    client.send_all(part);
  client.send(samples::Follow{});
  const std::vector<samples::ProcessResult> results = processes_of(client.follow_to_the_end());
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].cell_id, fmt::format("{:016x}", cells - 1));
}

TEST(Agent, RefusesAClientOfAnotherProtocol) {
  const TemporaryFolder folder;
  AgentClient client(folder.path());
  client.send(samples::Hello{99, "9.9"});
  client.follow_to_the_end();
  ASSERT_TRUE(client.error());
  EXPECT_THAT(client.error()->what, HasSubstr("protocol 99"));
  EXPECT_EQ(client.wait().exit_code, 3);
}

}  // namespace
}  // namespace ngb::agent::test
