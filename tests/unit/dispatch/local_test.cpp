// SPDX-License-Identifier: Apache-2.0
// Tests the local device with a real agent and the worker of the agent's tests.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <new>

#include "agent_client.h"
#include "dispatch/fleet.h"

namespace ngb::dispatch {
namespace {

using testing::HasSubstr;

// An installation whose agent is real and whose worker is the fake one beside it.
class LocalDevice : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("NGB_FAKE_WORKER", agent::test::fake_worker().c_str(), 1);
    std::filesystem::create_directory(bin());
    std::filesystem::create_symlink(NGB_BUILD_DIR "/bin/ngb-agent", bin() / "ngb-agent");
    std::filesystem::create_symlink(agent::test::fake_worker(), bin() / "ngb-worker");
    installation_ = {bin() / "ngb-agent", bin() / "ngb-worker", NGB_SOURCE_DIR "/tests/unit/agent/lib"};
    callbacks_.on_event = [this](const std::string&, const samples::Event& event) -> Status {
      events_.push_back(event);
      return on_event_ ? on_event_(event) : Status{};
    };
    callbacks_.commit = [this] { return commit_ ? commit_() : Status{}; };
    callbacks_.on_progress = [](const std::string&, const samples::Progress&) {};
    callbacks_.on_remark = [this](const std::string&, const std::string& remark) { remarks_.push_back(remark); };
  }
  [[nodiscard]] std::filesystem::path bin() const { return folder_.path() / "bin"; }
  [[nodiscard]] std::filesystem::path work() const { return folder_.path() / "work"; }
  [[nodiscard]] Share share_of(const work::Job& job, std::uint64_t last = 0) const {
    return {.device = {.name = "local", .kind = "local"},
            .run_id = job.run_id,
            .job = [job] { return job; },
            .last_sequence = last,
            .completed = [] { return std::vector<samples::Completed>(); },
            .work_folder = work()};
  }
  Result<Ending> run(const work::Job& job, std::uint64_t last = 0) {
    return run_fleet(installation_, {share_of(job, last)}, callbacks_, [this] { return is_stopped_; }).at(0).ending;
  }
  // Returns the agent that works in the work folder, from its lock.
  [[nodiscard]] pid_t agent_pid() const {
    const std::string owner = file::read(work() / "lock").value_or("");
    return std::stoi(owner.substr(owner.find("\"pid\":") + 6));
  }
  void make_agent(const std::string& script) {
    std::filesystem::remove(bin() / "ngb-agent");
    std::ofstream(bin() / "ngb-agent") << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(bin() / "ngb-agent", std::filesystem::perms::owner_all);
  }

  // Puts unruly_agent.py between the agent and its client.
  void make_unruly_agent(const std::string& order) {
    std::filesystem::create_directory(folder_.path() / "true");
    std::filesystem::rename(bin() / "ngb-agent", folder_.path() / "true/ngb-agent");
    make_agent("exec " NGB_PYTHON " " NGB_SOURCE_DIR "/tests/unit/dispatch/unruly_agent.py " + order + " " +
               (folder_.path() / "true/ngb-agent").string() + " \"$@\"");
  }
  [[nodiscard]] std::vector<std::uint64_t> sequences() const {
    std::vector<std::uint64_t> all;
    for (const samples::Event& event : events_) all.push_back(event.sequence);
    return all;
  }

  TemporaryFolder folder_;
  Installation installation_;
  Callbacks callbacks_;
  std::vector<samples::Event> events_;
  std::vector<std::string> remarks_;
  std::function<Status(const samples::Event&)> on_event_;
  std::function<Status()> commit_;
  bool is_stopped_ = false;
};

const Status kBusy = fail("python3 reads", {}, {}, ErrorCode::busy);

work::Job job_of(int processes, const std::string& behave = "") {
  work::Job job = agent::test::small_job(processes);
  agent::test::add_cell(job, "a", behave);
  return job;
}

TEST_F(LocalDevice, RunsAJobToItsEndAndReportsEveryEventOnce) {
  const auto ending = run(job_of(3));
  ASSERT_TRUE(ending) << ending.error().text();
  EXPECT_EQ(*ending, Ending::finished);
  EXPECT_THAT(sequences(), testing::ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(LocalDevice, SeesThatAJobWasFinishedEarlier) {
  ASSERT_TRUE(run(job_of(1)));
  events_.clear();
  const auto ending = run(job_of(1), 4);
  ASSERT_TRUE(ending) << ending.error().text();
  EXPECT_EQ(*ending, Ending::finished);
  EXPECT_TRUE(events_.empty());
}

TEST_F(LocalDevice, StopsWhenAsked) {
  on_event_ = [this](const samples::Event& event) -> Status {
    is_stopped_ = std::holds_alternative<samples::ModelWritten>(event.body);
    return Done{};
  };
  const auto ending = run(job_of(1, "hang"));
  ASSERT_TRUE(ending) << ending.error().text();
  EXPECT_EQ(*ending, Ending::stopped);
  EXPECT_EQ(agent::test::processes_of(events_).size(), 0U);
}

TEST_F(LocalDevice, RestartsAKilledAgentAndLosesNothing) {
  int kills = 0;
  on_event_ = [&](const samples::Event& event) -> Status {
    if (std::holds_alternative<samples::ProcessResult>(event.body) && kills < 6) {
      ++kills;
      ::kill(agent_pid(), SIGKILL);
    }
    return Done{};
  };
  const auto ending = run(job_of(8));
  ASSERT_TRUE(ending) << ending.error().text();
  EXPECT_EQ(*ending, Ending::finished);
  EXPECT_EQ(kills, 6);
  const auto processes = agent::test::processes_of(events_);
  ASSERT_EQ(processes.size(), 8U);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(processes[static_cast<std::size_t>(i)].process_index, i);
}

TEST_F(LocalDevice, RecordsOnceWhatArrivesTwice) {
  make_unruly_agent("twice");
  const auto ending = run(job_of(3));
  ASSERT_TRUE(ending) << ending.error().text();
  EXPECT_EQ(*ending, Ending::finished);
  EXPECT_THAT(sequences(), testing::ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(LocalDevice, AsksAgainForEventsThatArriveInAnotherOrder) {
  make_unruly_agent("swapped");
  const auto ending = run(job_of(3));
  ASSERT_TRUE(ending) << ending.error().text();
  EXPECT_EQ(*ending, Ending::finished);
  std::vector<int> processes;
  for (const auto& process : agent::test::processes_of(events_)) processes.push_back(process.process_index);
  EXPECT_THAT(processes, testing::ElementsAre(0, 1, 2));
  for (std::size_t i = 0; i < events_.size(); ++i) EXPECT_EQ(events_[i].sequence, i + 1);
  EXPECT_THAT(remarks_, testing::ElementsAre("the events after 1 are requested again"));
}

TEST_F(LocalDevice, EndsTheAgentWhenAnEventCannotBeRecorded) {
  on_event_ = [](const samples::Event& event) -> Status {
    if (event.sequence < 2) return Done{};
    return fail("the results file is full");
  };
  const auto ending = run(job_of(3, "hang"));
  ASSERT_FALSE(ending);
  EXPECT_EQ(ending.error().what, "the results file is full");
  on_event_ = nullptr;
  EXPECT_TRUE(run(job_of(1)));  // the folder is free again at once
}

TEST_F(LocalDevice, AcknowledgesNothingThatCouldNotBeMadeDurable) {
  commit_ = []() -> Status { return fail("the disk is full"); };
  const auto ending = run(job_of(1));
  ASSERT_FALSE(ending);
  EXPECT_EQ(ending.error().what, "the disk is full");
  commit_ = nullptr;
  events_.clear();
  ASSERT_TRUE(run(job_of(1)));
  ASSERT_FALSE(events_.empty());
  EXPECT_EQ(events_.front().sequence, 1U);
}

TEST_F(LocalDevice, WaitsAsLongAsAnotherProgramReadsTheResultsAndSaysSoOnce) {
  int refusals = 3;
  std::size_t events_at_refusal = 0;
  commit_ = [&]() -> Status {
    if (events_.size() < 3 || refusals == 0) return Done{};
    EXPECT_TRUE(events_at_refusal == 0 || events_at_refusal == events_.size()) << "events are recorded meanwhile";
    events_at_refusal = events_.size();
    --refusals;
    return kBusy;
  };
  callbacks_.who_is_in_the_way = [] { return "python3 reads"; };
  const auto ending = run(job_of(3));
  ASSERT_TRUE(ending) << ending.error().text();
  EXPECT_EQ(*ending, Ending::finished);
  EXPECT_EQ(refusals, 0);
  EXPECT_THAT(sequences(), testing::ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(remarks_, testing::ElementsAre("python3 reads"));
}

TEST_F(LocalDevice, RecordsNothingWhileAnotherProgramWrites) {
  int refusals = 3;
  callbacks_.begin = [&]() -> Status { return --refusals < 0 ? Status{} : kBusy; };
  on_event_ = [&](const samples::Event&) -> Status {
    EXPECT_LT(refusals, 0);
    return Done{};
  };
  const auto ending = run(job_of(1));
  ASSERT_TRUE(ending) << ending.error().text();
  EXPECT_EQ(*ending, Ending::finished);
}

TEST_F(LocalDevice, CanBeStoppedWhileAReaderHoldsTheResultsAndAcknowledgesNothing) {
  commit_ = [this]() -> Status {
    is_stopped_ = true;
    return kBusy;
  };
  const auto ending = run(job_of(2));
  ASSERT_TRUE(ending) << ending.error().text();
  EXPECT_EQ(*ending, Ending::stopped);
  commit_ = nullptr;
  is_stopped_ = false;
  events_.clear();
  ASSERT_TRUE(run(job_of(2)));
  EXPECT_THAT(sequences(), testing::ElementsAre(1, 2, 3, 4, 5)) << "all of it had stayed with the agent";
}

TEST_F(LocalDevice, CanBeStoppedWhenItsAgentHasStoppedReadingTheJob) {
  make_unruly_agent("deaf");  // reads nothing for longer than a test may last
  work::Job job = agent::test::small_job(1);
  for (int i = 0; i < 5000; ++i) agent::test::add_cell(job, fmt::format("cell {}", i));
  int asked = 0;
  const Share share = share_of(job);
  const auto endings = run_fleet(installation_, {share}, callbacks_, [&] { return ++asked > 5; });
  ASSERT_TRUE(endings[0].ending) << endings[0].ending.error().text();
  EXPECT_EQ(*endings[0].ending, Ending::stopped);
}

TEST_F(LocalDevice, KeepsOnlyTheBeginningOfAFloodOfOutput) {
  make_agent("head -c 3000000 /dev/zero | tr '\\0' x >&2\nexit 9");
  const auto ending = run(job_of(1));
  ASSERT_FALSE(ending);
  EXPECT_LT(std::filesystem::file_size(work() / "agent.log"), 2U << 20U);
  EXPECT_THAT(file::read(work() / "agent.log").value(), HasSubstr("more were not kept"));
}

TEST_F(LocalDevice, FailsWithAnErrorWhenMemoryRunsOut) {
  on_event_ = [](const samples::Event&) -> Status { throw std::bad_alloc(); };
  const auto ending = run(job_of(1));
  ASSERT_FALSE(ending);
  EXPECT_THAT(ending.error().what, HasSubstr("bad_alloc"));
}

TEST_F(LocalDevice, ReportsWhyTheAgentEnds) {
  work::Job job = job_of(1);
  job.models[0].source = work::Recipe{"large"};
  const auto ending = run(job);
  ASSERT_FALSE(ending);
  EXPECT_THAT(ending.error().what, HasSubstr("the disk is full"));
}

TEST_F(LocalDevice, GivesUpOnAnAgentThatDiesFourTimesAndQuotesItsLastWords) {
  make_agent("echo start >>" + (folder_.path() / "starts").string() + "\necho 'cannot map memory' >&2\nexit 9");
  const auto ending = run(job_of(1));
  ASSERT_FALSE(ending);
  EXPECT_THAT(ending.error().what, HasSubstr("died 4 times"));
  EXPECT_THAT(ending.error().what, HasSubstr("exit code 9"));
  EXPECT_THAT(ending.error().what, HasSubstr("cannot map memory"));
  EXPECT_EQ(file::read(folder_.path() / "starts").value_or(""), "start\nstart\nstart\nstart\n");
}

TEST_F(LocalDevice, NamesAMissingAgent) {
  std::filesystem::remove(bin() / "ngb-agent");
  const auto ending = run(job_of(1));
  ASSERT_FALSE(ending);
  EXPECT_EQ(ending.error().where, (bin() / "ngb-agent").string());
}

TEST_F(LocalDevice, RefusesAnAgentThatDoesNotSpeakTheProtocol) {
  make_agent("echo 'hello, this is not a frame'");
  const auto ending = run(job_of(1));
  ASSERT_FALSE(ending);
  EXPECT_THAT(ending.error().what, HasSubstr("frame"));
}

}  // namespace
}  // namespace ngb::dispatch
