// SPDX-License-Identifier: Apache-2.0
// Tests several devices side by side. Each is a local one with a work folder of its own.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <new>

#include "agent_client.h"
#include "dispatch/fleet.h"

namespace ngb::dispatch {
namespace {

class LocalFleet : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("NGB_FAKE_WORKER", agent::test::fake_worker().c_str(), 1);
    std::filesystem::create_directory(folder_.path() / "bin");
    std::filesystem::create_symlink(NGB_BUILD_DIR "/bin/ngb-agent", installation_.agent);
    std::filesystem::create_symlink(agent::test::fake_worker(), folder_.path() / "bin/ngb-worker");
    callbacks_.on_event = [this](const std::string& device, const samples::Event& event) -> Status {
      events_[device].push_back(event);
      return refused_ == device ? fail("refused") : Status{};
    };
    callbacks_.commit = [this]() -> Status {
      ++commits_;
      return Done{};
    };
    callbacks_.on_progress = [](const std::string&, const samples::Progress&) {};
    callbacks_.on_remark = [](const std::string&, const std::string&) {};
  }

  Share share(const std::string& name, int processes, const std::string& behave = "") {
    work::Job job = agent::test::small_job(processes);
    job.device = name;
    agent::test::add_cell(job, "a", behave);
    return {.device = {.name = name, .kind = "local"},
            .run_id = job.run_id,
            .job = [job] { return job; },
            .completed = [] { return std::vector<samples::Completed>(); },
            .work_folder = folder_.path() / name};
  }

  TemporaryFolder folder_;
  Installation installation_{folder_.path() / "bin/ngb-agent", folder_.path() / "bin/ngb-worker",
                             NGB_SOURCE_DIR "/tests/unit/agent/lib"};
  Callbacks callbacks_;
  std::map<std::string, std::vector<samples::Event>> events_;
  std::string refused_;
  int commits_ = 0;
};

TEST_F(LocalFleet, RunsEveryDeviceToItsEnd) {
  std::vector<Share> shares;
  for (int i = 0; i < 8; ++i) shares.push_back(share(fmt::format("device {}", i), 2));
  const auto endings = run_fleet(installation_, shares, callbacks_, [] { return false; });
  ASSERT_EQ(endings.size(), 8U);
  for (const DeviceEnding& each : endings) {
    EXPECT_EQ(each.ending, Ending::finished) << each.device;
    EXPECT_EQ(agent::test::processes_of(events_[each.device]).size(), 2U) << each.device;
  }
}

TEST_F(LocalFleet, CompletesTheOthersWhenOneDeviceFails) {
  refused_ = "bad";
  const auto endings = run_fleet(installation_, {share("bad", 1), share("good", 3)}, callbacks_, [] { return false; });
  ASSERT_FALSE(endings[0].ending);
  EXPECT_EQ(endings[0].ending.error().what, "refused");
  EXPECT_EQ(endings[1].ending, Ending::finished);
  EXPECT_EQ(agent::test::processes_of(events_["good"]).size(), 3U);
}

TEST_F(LocalFleet, CompletesTheOthersWhenMemoryRunsOutForOneDevice) {
  const auto record = callbacks_.on_event;
  callbacks_.on_event = [&](const std::string& device, const samples::Event& event) -> Status {
    if (device == "bad") throw std::bad_alloc();
    return record(device, event);
  };
  const auto endings = run_fleet(installation_, {share("bad", 1), share("good", 3)}, callbacks_, [] { return false; });
  ASSERT_FALSE(endings[0].ending);
  EXPECT_EQ(endings[1].ending, Ending::finished);
}

TEST_F(LocalFleet, StopsAllDevicesWhenAsked) {
  const auto endings = run_fleet(installation_, {share("a", 1, "hang"), share("b", 1, "hang")}, callbacks_,
                                 [this] { return events_["a"].size() >= 2 && events_["b"].size() >= 2; });
  EXPECT_EQ(endings[0].ending, Ending::stopped);
  EXPECT_EQ(endings[1].ending, Ending::stopped);
}

TEST_F(LocalFleet, StopsAllDevicesWhenNothingCanBeRecordedAnyMore) {
  callbacks_.commit = [this]() -> Status {
    if (events_["a"].size() < 3) return Done{};
    return fail("the disk is full");
  };
  const auto endings =
      run_fleet(installation_, {share("a", 2), share("b", 1, "hang")}, callbacks_, [] { return false; });
  ASSERT_FALSE(endings[0].ending);
  EXPECT_EQ(endings[0].ending.error().what, "the disk is full");
  EXPECT_TRUE(!endings[1].ending || endings[1].ending == Ending::stopped);
}

}  // namespace
}  // namespace ngb::dispatch
