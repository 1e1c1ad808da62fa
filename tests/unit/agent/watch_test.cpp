// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/watch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "temporary_folder.h"

namespace ngb::agent {
namespace {

using samples::Phase;
using namespace std::chrono_literals;

class WatchedMachine : public testing::Test {
 protected:
  void put_wait(int waited_ms) const {
    folder_.write("proc/42/task/42/schedstat", fmt::format("{}000000 {}000000 1\n", 900 + waited_ms, waited_ms));
  }
  [[nodiscard]] Watch begin() const { return Watch({0}, folder_.path().string()); }
  TemporaryFolder folder_;
};

std::vector<const samples::Reading*> of(const Watch& watch, const std::string& quantity) {
  std::vector<const samples::Reading*> found;
  for (const samples::Reading& reading : watch.readings()) {
    if (reading.quantity == quantity) found.push_back(&reading);
  }
  return found;
}

TEST_F(WatchedMachine, HasReadingsOfTheTimedPhaseAloneWithTheirTimes) {
  put_wait(0);
  Watch watch = begin();
  watch.look({42}, Phase::compile, 1s);
  watch.look({42}, Phase::timed, 2s);
  EXPECT_TRUE(watch.readings().empty()) << "nothing is over between one reading and none";
  put_wait(300);
  watch.look({42}, Phase::timed, 3s);
  put_wait(350);
  watch.look({42}, Phase::timed, 4s);
  const auto waits = of(watch, "run_queue_wait");
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[0]->moment, "during");
  EXPECT_EQ(waits[0]->at_ns, 3'000'000'000);
  EXPECT_EQ(waits[1]->at_ns, 4'000'000'000);
  EXPECT_GT(*waits[0]->value.value, 0);
}

TEST_F(WatchedMachine, SaysOnceWhyAQuantityIsUnknown) {
  put_wait(0);
  Watch watch = begin();
  for (int second = 1; second <= 5; ++second) watch.look({42}, Phase::timed, std::chrono::seconds(second));
  EXPECT_EQ(of(watch, "run_queue_wait").size(), 4U);
  ASSERT_EQ(of(watch, "temperature").size(), 1U);
  EXPECT_NE(of(watch, "temperature")[0]->value.reason, "");
}

TEST_F(WatchedMachine, IsReadLessOftenTheLongerThePhaseIs) {
  put_wait(0);
  Watch watch = begin();
  for (int second = 0; second <= 4 * 3600; ++second) watch.look({42}, Phase::timed, std::chrono::seconds(second));
  // 64 looks are 1 s apart, 64 are 2 s apart, and so on: 64 (1 + 2 + … + 2^n) s pass; 14,400 s end in the eighth pace.
  EXPECT_GT(of(watch, "run_queue_wait").size(), 7U * 64);
  EXPECT_LE(of(watch, "run_queue_wait").size(), 8U * 64);
}

// Pages of 4 KiB, as statm has them in its second number.
TEST_F(WatchedMachine, MarksTheMemoryOfAProcessWithItsInferencesInEachPhase) {
  Watch watch = begin();
  const auto hold = [this](int pages) { folder_.write("proc/42/statm", fmt::format("9999 {} 1 1 0 1 0\n", pages)); };
  hold(100);
  watch.mark({42}, 0, 1s);  // it has not begun
  watch.mark({42}, 10, 2s);
  hold(200);
  watch.mark({42}, 10, 3s);  // it stands still
  watch.mark({42}, 30, 4s);
  const auto inferences = of(watch, "inferences");
  const auto memory = of(watch, "memory");
  ASSERT_EQ(inferences.size(), 2U);
  ASSERT_EQ(memory.size(), 2U);
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  EXPECT_EQ(inferences[0]->value.value, 10);
  EXPECT_EQ(memory[0]->value.value, 100 * page);
  EXPECT_EQ(inferences[1]->value.value, 30);
  EXPECT_EQ(memory[1]->value.value, 200 * page);
  EXPECT_EQ(memory[1]->moment, "mark");
  EXPECT_EQ(memory[1]->at_ns, inferences[1]->at_ns);
}

TEST_F(WatchedMachine, HasTheNeighboursThatWereBusySinceItBegan) {
  const auto put_program = [this](int pid, int user_ticks) {
    folder_.write(fmt::format("proc/{}/stat", pid),
                  fmt::format("{0} (p{0}) S 1 1 1 0 -1 0 0 0 0 0 {1} 0 0 0 20 0 1 0 5 9\n", pid, user_ticks));
  };
  for (int pid = 1; pid <= 5; ++pid) put_program(pid, 1000);
  const Watch watch = begin();
  put_program(1, 1001);
  put_program(2, 1004);
  put_program(3, 1500);
  put_program(4, 1002);
  std::vector<std::string> names;
  for (const auto& neighbour : watch.neighbours({3})) names.push_back(neighbour.name);
  EXPECT_THAT(names, testing::ElementsAre("p2", "p4", "p1"));
}

}  // namespace
}  // namespace ngb::agent
