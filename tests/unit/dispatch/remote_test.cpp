// SPDX-License-Identifier: Apache-2.0
// Tests the client with a device elsewhere that cannot be reached, dies, is slow or is available late.
#include "dispatch/remote.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent_client.h"
#include "base/hash.h"
#include "fake_device.h"

namespace ngb::dispatch {
namespace {

using namespace std::chrono_literals;
using test::FakeDevice;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class RemoteDevice : public testing::Test {
 protected:
  void SetUp() override {
    work::Job job = agent::test::small_job(1);
    agent::test::add_cell(job, "a");
    share_.job = [job] { return job; };
    add_file("agent", 50'000);
    add_file("worker", 400'000);
    parts_.agents = {{"x86_64", folder_ / "agent", hash_of("agent"), 50'000}};
    parts_.bundles["x86_64"] = {{"bundles/b", {{"bin/ngb-worker", hash_of("worker"), 400'000, true}}},
                                {folder_ / "worker"}};
    callbacks_.on_event = [this](const std::string&, const samples::Event& event) -> Status {
      recorded_.push_back(event.sequence);
      return Done{};
    };
    callbacks_.commit = [] { return Status{}; };
    callbacks_.on_progress = [](const std::string&, const samples::Progress&) {};
    callbacks_.on_remark = [this](const std::string&, const std::string& remark) { remarks_.push_back(remark); };
    callbacks_.on_presence = [this](const std::string&) -> Status {
      route_->happened.emplace_back("presence");
      return Done{};
    };
  }

  void add_file(const std::string& name, std::size_t bytes) {
    std::string content(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) content[i] = static_cast<char>(i * i % 251);
    folder_.write(name, content);
  }
  [[nodiscard]] std::string hash_of(const std::string& name) const {
    return hash::sha256_of_file(folder_ / name).value();
  }

  // Sets the device's visits, which follow one another; the last one is repeated.
  void visits(std::vector<test::Visit> all) { route_->visits.assign(all.begin(), all.end()); }

  Result<Ending> run() {
    Result<Ending> ending = fail("never ended");
    remote_.emplace(loop_, recording_, parts_, references_, share_, std::move(owned_route_));
    const auto keep = [&]() -> asio::awaitable<void> { ending = co_await remote_->run(); };
    asio::co_spawn(loop_.io, keep(), asio::detached);
    test::run(loop_, clock_);
    return ending;
  }
  Status tear_down() { return status_of(&RemoteRun::tear_down); }
  Status fetch() { return status_of(&RemoteRun::fetch); }
  Status status_of(asio::awaitable<Status> (RemoteRun::*task)()) {
    Status done = fail("never ended");
    remote_.emplace(loop_, recording_, parts_, references_, share_, std::move(owned_route_));
    const auto keep = [&]() -> asio::awaitable<void> { done = co_await ((*remote_).*task)(); };
    asio::co_spawn(loop_.io, keep(), asio::detached);
    test::run(loop_, clock_);
    return done;
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  Loop loop_{clock_};
  Callbacks callbacks_;
  Recording recording_{loop_, callbacks_};
  Parts parts_;
  References references_{loop_, recording_, {}};
  Share share_{.device = {.name = "edge", .kind = "fake", .folder = "~/.ngraphbench"},
               .run_id = "run-1",
               .completed = [] { return std::vector<samples::Completed>(); },
               .work_folder = folder_ / "edge"};
  std::unique_ptr<test::FakeRoute> owned_route_ = std::make_unique<test::FakeRoute>(loop_, share_);
  test::FakeRoute* route_ = owned_route_.get();
  std::optional<RemoteRun> remote_;
  std::vector<std::uint64_t> recorded_;
  std::vector<std::string> remarks_;
};

asio::awaitable<void> out_of_reach(FakeDevice& device) {
  device.complain("no route to host");
  co_return;
}
// The agent ends at once.
asio::awaitable<void> attach_only(FakeDevice& device) { co_await device.attach(); }
// The agent records one more event and ends.
asio::awaitable<void> do_one_thing(FakeDevice& device) {
  const std::uint64_t known = co_await device.begin();
  device.send(samples::Event{known + 1, samples::ModelWritten{}});
  co_await device.receive_a<samples::Acknowledge>();
}
asio::awaitable<void> finish(FakeDevice& device) {
  const std::uint64_t known = co_await device.begin();
  device.send(samples::Event{known + 1, samples::Finished{}});
  co_await device.receive_a<samples::Acknowledge>();
}
asio::awaitable<void> say_nothing_more(FakeDevice& device) {
  co_await device.begin();
  co_await device.receive_a<samples::Stop>();
}

TEST_F(RemoteDevice, IsTriedAgainWithGrowingPausesAndIsLostAfterTenMinutes) {
  visits({out_of_reach});
  const auto ending = run();
  ASSERT_FALSE(ending);
  EXPECT_EQ(ending.error().what, "could not be reached for 10 min 00 s: no route to host");
  const std::vector<std::int64_t>& times = route_->visited_at_s;
  ASSERT_GT(times.size(), 8U);
  EXPECT_THAT(std::vector(times.begin(), times.begin() + 8), ElementsAre(0, 1, 3, 7, 15, 31, 61, 91));
  EXPECT_EQ(times.back(), 600);
  EXPECT_EQ(remarks_.front(), "no connection (no route to host); trying again in 1.0 s, given up in 10 min 00 s");
}

TEST_F(RemoteDevice, IsTriedAgainSoonOnceItWasReached) {
  visits({out_of_reach, out_of_reach, do_one_thing, out_of_reach, finish});
  EXPECT_EQ(run(), Ending::finished);
  EXPECT_THAT(route_->visited_at_s, ElementsAre(0, 1, 3, 4, 6));
  EXPECT_THAT(recorded_, ElementsAre(1, 2));
}

TEST_F(RemoteDevice, IsGivenUpAtOnceIfNoFurtherTryCanHelp) {
  visits({[](FakeDevice& device) -> asio::awaitable<void> {
    device.complain("hopeless");
    co_return;
  }});
  const auto ending = run();
  ASSERT_FALSE(ending);
  EXPECT_EQ(ending.error().what, "hopeless");
  EXPECT_THAT(route_->visited_at_s, ElementsAre(0));
}

TEST_F(RemoteDevice, IsGivenUpWhenItsAgentDiesFourTimesWithoutProgress) {
  route_->is_cut = false;
  visits({attach_only});
  const auto ending = run();
  ASSERT_FALSE(ending);
  EXPECT_THAT(ending.error().what, StartsWith("the agent ended 4 times without having done anything"));
  EXPECT_EQ(route_->visited_at_s.size(), 4U);
}

TEST_F(RemoteDevice, IsNotGivenUpWhileItsAgentDoesSomethingBeforeItDies) {
  route_->is_cut = false;
  visits({do_one_thing, attach_only, attach_only, do_one_thing, attach_only, attach_only, do_one_thing, finish});
  EXPECT_EQ(run(), Ending::finished);
  EXPECT_THAT(recorded_, ElementsAre(1, 2, 3, 4));
}

TEST_F(RemoteDevice, IsNotGivenUpWhenOnlyItsConnectionIsCut) {
  visits({attach_only, attach_only, attach_only, attach_only, attach_only, attach_only, finish});
  EXPECT_EQ(run(), Ending::finished);
}

TEST_F(RemoteDevice, IsConnectedToAgainAfterTwentySecondsOfSilence) {
  visits({say_nothing_more, finish});
  EXPECT_EQ(run(), Ending::finished);
  EXPECT_THAT(route_->visited_at_s, ElementsAre(0, 26));  // the silence is checked every 5 s, and the pause is 1 s
}

TEST_F(RemoteDevice, IsWaitedForUntilItsBatchJobHasAMachine) {
  route_->is_batch = true;
  route_->waits_for = 3h;
  visits({out_of_reach, finish});
  EXPECT_EQ(run(), Ending::finished);
  EXPECT_THAT(route_->happened, ElementsAre("presence", "prepare", "visit", "prepare", "visit"));
  EXPECT_EQ(route_->visited_at_s.front(), 3 * 3600);
}

TEST_F(RemoteDevice, HasNothingToFetchWithoutAMachine) {
  route_->waits_for = 3h;
  share_.only_fetch = true;
  visits({finish});
  const auto ending = run();
  ASSERT_FALSE(ending);
  EXPECT_EQ(ending.error().what, "has no machine at present");
  EXPECT_THAT(route_->happened, IsEmpty());
}

TEST_F(RemoteDevice, IsNotFetchedFromWhileAMachineWithFilesOfTheRunCannotBeReached) {
  route_->waits_for = 3h;
  const Status fetched = fetch();
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().what, "has no machine at present");
}

TEST_F(RemoteDevice, IsFetchedFromWithoutAMachineIfNothingOfTheRunIsLeft) {
  route_->waits_for = 3h;
  route_->is_left = false;
  EXPECT_TRUE(fetch());
  EXPECT_THAT(route_->happened, IsEmpty());
}

TEST_F(RemoteDevice, ReceivesTheRestOfAnInterruptedDelivery) {
  std::string taken;
  const auto take = [&](FakeDevice& device, std::size_t bytes) -> asio::awaitable<void> {
    co_await device.take_script();
    device.send(samples::Arrival{"/f", "x86_64", 1U << 30U, 0});
    const auto asked = co_await device.receive_a<samples::Ask>();
    device.send(samples::Lacking{asked->trees});
    const auto tree = co_await device.receive_a<samples::Tree>();
    device.send(samples::Want{{{0, taken.size()}}});
    taken += co_await device.read(bytes);
    if (taken.size() == tree->files.at(0).size_bytes) device.send(samples::Installed{tree->path});
  };
  visits({[&](FakeDevice& device) -> asio::awaitable<void> { co_await take(device, 150'000); },
          [&](FakeDevice& device) -> asio::awaitable<void> { co_await take(device, 250'000); }, finish});
  EXPECT_EQ(run(), Ending::finished);
  EXPECT_EQ(hash::sha256(taken), hash_of("worker"));
}

TEST_F(RemoteDevice, ReceivesItsAgentAgainIfThatFailsToStartThreeTimes) {
  std::vector<std::string> scripts;
  std::string agent;
  const auto keep_script = [&](FakeDevice& device) -> asio::awaitable<void> {
    scripts.push_back(co_await device.take_script());
  };
  const auto take_agent = [&](FakeDevice& device) -> asio::awaitable<void> {
    scripts.push_back(co_await device.take_script("ngb-need"));
    agent = co_await device.read(50'000);
  };
  visits({keep_script, keep_script, keep_script, take_agent, finish});
  EXPECT_EQ(run(), Ending::finished);
  EXPECT_THAT(remarks_, Contains(HasSubstr("the agent there does not start")));
  ASSERT_EQ(scripts.size(), 4U);
  EXPECT_THAT(scripts[2], testing::Not(HasSubstr("rm -f \"$program\"")));
  EXPECT_THAT(scripts[3], HasSubstr("rm -f \"$program\""));
  EXPECT_EQ(hash::sha256(agent), hash_of("agent"));
}

TEST_F(RemoteDevice, IsWaitedForTenMinutesWhileItIsBusyWithAnotherRun) {
  visits({[](FakeDevice& device) -> asio::awaitable<void> {
    co_await device.attach();
    for (int i = 0; i < 1000; ++i) {
      device.send(samples::Busy{"runs/other", "process 12"});
      co_await device.wait(5s);
    }
  }});
  const auto ending = run();
  ASSERT_FALSE(ending);
  EXPECT_THAT(ending.error().what, HasSubstr("has been busy with run runs/other (process 12) for 10 min"));
  EXPECT_THAT(remarks_, ElementsAre("is busy with run runs/other (process 12); waits for it"));
}

TEST_F(RemoteDevice, IsLeftAtOnceWhenTheUserStopsTheRun) {
  visits({out_of_reach});
  Alarm user(loop_);
  const auto stop = [&]() -> asio::awaitable<void> {
    co_await user.wait(20s);
    loop_.stop();
  };
  asio::co_spawn(loop_.io, stop(), asio::detached);
  EXPECT_EQ(run(), Ending::stopped);
  EXPECT_EQ(clock_.now(), 20s);
  EXPECT_EQ(route_->happened.back(), "leave");
}

TEST_F(RemoteDevice, IsTornDownWhenItCanBeReachedAgainWithinFifteenSeconds) {
  std::optional<samples::Remove> asked;
  visits({out_of_reach, out_of_reach, [&](FakeDevice& device) -> asio::awaitable<void> {
            co_await device.take_script();
            device.send(samples::Arrival{"/f", "x86_64", 1U << 30U, 0});
            asked = co_await device.receive_a<samples::Remove>();
            device.send(samples::Removed{});
          }});
  const Status done = tear_down();
  EXPECT_TRUE(done) << done.error().text();
  ASSERT_TRUE(asked);
  EXPECT_THAT(asked->runs, ElementsAre(StartsWith("runs/run-1-")));
  EXPECT_EQ(route_->happened.back(), "leave");
}

TEST_F(RemoteDevice, NamesTheCommandForTheTeardownIfItStaysOutOfReach) {
  visits({out_of_reach});
  const Status done = tear_down();
  ASSERT_FALSE(done);
  EXPECT_EQ(
      done.error().text(),
      "edge: cannot be reached for the teardown: no route to host; ngb cancel with the results folder tries again");
  EXPECT_EQ(route_->visited_at_s.back(), 15);
}

}  // namespace
}  // namespace ngb::dispatch
