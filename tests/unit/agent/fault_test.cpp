// SPDX-License-Identifier: Apache-2.0
// Tests that no recorded event is lost or repeated when agents or clients die.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "agent_client.h"
#include "recorder.h"

namespace ngb::agent::test {
namespace {

using samples::FailureKind;
using testing::HasSubstr;

work::Job faulty_job() {
  work::Job job = small_job(5);
  add_cell(job, "good", "brief");
  add_cell(job, "forked", "brief");
  add_cell(job, "retried", "crash", "2:1");
  add_cell(job, "lost", "crash", "1:1");
  add_cell(job, "wrong", "wrong", "3:1");
  host_by_python(job, 1, "forked");
  return job;
}

TEST(Faults, TenKillsAtRandomInstantsLoseNothingAndRepeatNothing) {
  const TemporaryFolder undisturbed_folder;
  Recorder undisturbed;
  for (const samples::Event& event : run_job(undisturbed_folder.path(), faulty_job()).events) undisturbed.take(event);
  ASSERT_TRUE(undisturbed.is_finished());

  const TemporaryFolder folder;
  Recorder recorder;
  std::mt19937 random(20261121);
  std::uniform_int_distribution<int> instant_ms(5, 250);
  int kills = 0;
  while (kills < 10 && !recorder.is_finished()) {
    run_for(folder.path(), faulty_job(), recorder, std::chrono::milliseconds(instant_ms(random)),
            [](AgentClient& client) { client.kill(); });
    ++kills;
  }
  run_for(folder.path(), faulty_job(), recorder, std::chrono::seconds(240), [](AgentClient&) {});
  EXPECT_TRUE(recorder.is_finished());
  EXPECT_FALSE(recorder.has_gaps());
  EXPECT_EQ(recorder.results(), undisturbed.results());
  EXPECT_GE(kills, 5);
}

TEST(Faults, TheWorkersOfAKilledAgentEnd) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a", "stray_and_hang");
  const auto stray = [&] {
    const std::string log = file::read(folder.path() / "logs/a-0-1.log").value_or("");
    return log.starts_with("stray ") ? std::stoi(log.substr(6)) : 0;
  };
  pid_t left = 0;
  {
    AgentClient client(folder.path());
    client.begin(job);
    while (left == 0 && client.next(std::chrono::milliseconds(20))) left = stray();
    while (left == 0) left = stray();
    client.kill();
  }
  // The worker dies with its agent. The next agent finds the process that the worker started in another session.
  EXPECT_TRUE(is_alive(left));
  AgentClient client(folder.path());
  ASSERT_TRUE(client.next());  // hello
  client.begin(job, 2);
  client.send(samples::Stop{});
  client.follow_to_the_end();
  EXPECT_EQ(client.wait().exit_code, 0);
  EXPECT_FALSE(is_alive(left)) << "the stray process still lives";
}

TEST(Faults, AgentAndWorkerEndWhenTheClientDisconnects) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a", "hang");
  AgentClient client(folder.path());
  client.begin(job);
  for (int events = 0; events < 2;) {
    const auto message = client.next();
    ASSERT_TRUE(message);
    if (std::holds_alternative<samples::Event>(*message)) ++events;
  }
  client.hang_up();
  EXPECT_EQ(client.wait().exit_code, 0);
}

TEST(Faults, StopEndsTheRunningProcessAndKeepsWhatIsRecorded) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  add_cell(job, "b", "hang");
  Recorder recorder;
  AgentClient client(folder.path());
  client.begin(job);
  while (recorder.results().empty()) {
    const auto message = client.next();
    ASSERT_TRUE(message);
    if (const auto* event = std::get_if<samples::Event>(&*message)) recorder.take(*event);
  }
  client.send(samples::Stop{});
  EXPECT_TRUE(client.follow_to_the_end().empty());
  EXPECT_EQ(client.wait().exit_code, 0);
  EXPECT_EQ(recorder.results().size(), 1U);
}

TEST(Faults, SigtermStopsTheAgentLikeAStop) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a", "hang");
  AgentClient client(folder.path());
  client.begin(job);
  for (int events = 0; events < 2;) {
    const auto message = client.next();
    ASSERT_TRUE(message);
    if (std::holds_alternative<samples::Event>(*message)) ++events;
  }
  ::kill(client.pid(), SIGTERM);
  EXPECT_EQ(client.wait().exit_code, 0);
}

TEST(Faults, EventsAreSentAgainToAClientThatDidNotRecordThem) {
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  add_cell(job, "a");
  const WholeRun first = run_job(folder.path(), job);
  ASSERT_EQ(first.events.size(), 5U);
  const WholeRun again = run_job(folder.path(), job, 2);
  ASSERT_EQ(again.events.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(samples::encode(again.events[i]), samples::encode(first.events[i + 2]));
}

TEST(Faults, AFinishedJobOnlySendsItsEndAgain) {
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  add_cell(job, "a");
  ASSERT_EQ(run_job(folder.path(), job).events.size(), 5U);
  const WholeRun again = run_job(folder.path(), job, 5);
  ASSERT_EQ(again.events.size(), 1U);
  EXPECT_EQ(again.events[0].sequence, 5U);
  EXPECT_TRUE(ends_finished(again.events));
}

TEST(Faults, AnEventThatIsNeverAcknowledgedIsNotLost) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  {
    AgentClient client(folder.path());
    client.begin(job);
    for (int events = 0; events < 4;) {
      const auto message = client.next();
      ASSERT_TRUE(message);
      if (std::holds_alternative<samples::Event>(*message)) ++events;
    }
    client.kill();
  }
  EXPECT_EQ(run_job(folder.path(), job, 0).events.size(), 4U);
}

TEST(Faults, ASecondAgentNamesTheProcessThatUsesTheFolder) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a", "hang");
  AgentClient first(folder.path());
  first.begin(job);
  while (const auto message = first.next()) {
    if (std::holds_alternative<samples::Event>(*message)) break;
  }
  const WholeRun second = run_job(folder.path(), job);
  ASSERT_TRUE(second.error);
  EXPECT_EQ(second.error->what, "in use by process " + std::to_string(first.pid()));
  EXPECT_EQ(second.outcome.exit_code, 3);
  first.send(samples::Stop{});
}

TEST(Faults, AFolderThatCannotBeWrittenIsNamed) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  const WholeRun run = run_job("/proc/ngraphbench", job);
  ASSERT_TRUE(run.error);
  EXPECT_EQ(run.error->where, "/proc/ngraphbench");
  EXPECT_EQ(run.outcome.exit_code, 3);
}

TEST(Faults, ADamagedJournalCostsOnlyWhatIsDamaged) {
  const TemporaryFolder folder;
  work::Job job = small_job(3);
  add_cell(job, "a");
  const WholeRun first = run_job(folder.path(), job);
  ASSERT_EQ(first.events.size(), 6U);  // environment, model, three processes, finished
  std::string bytes = *file::read(folder.path() / "journal");
  const std::size_t second_process = bytes.find("\"process_index\":1");
  ASSERT_NE(second_process, std::string::npos);
  bytes[second_process] = '!';
  ASSERT_TRUE(file::write_atomically(folder.path() / "journal", bytes));
  const WholeRun again = run_job(folder.path(), job, 6);
  // Numbers continue above those that the client knows, so that it does not mistake new results for old ones.
  ASSERT_EQ(again.processes.size(), 1U);
  EXPECT_EQ(again.events.front().sequence, 7U);
  EXPECT_EQ(again.processes[0].process_index, 1);
  ASSERT_EQ(again.remarks.size(), 1U);
  EXPECT_THAT(again.remarks[0], HasSubstr("damaged"));
  EXPECT_TRUE(ends_finished(again.events));
}

}  // namespace
}  // namespace ngb::agent::test
