// SPDX-License-Identifier: Apache-2.0
#include "agent/quiet_wait.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace ngb::agent {
namespace {

using namespace std::chrono_literals;

class QuietMachine : public testing::Test {
 protected:
  void put_ticks(int busy, int idle) const {
    folder_.write("proc/stat", fmt::format("cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 {0} 0 0 {1} 0 0 0 0 0 0\n", busy, idle));
  }
  [[nodiscard]] QuietWait begin() const { return {{0}, 0.05, 0s, 10s, folder_.path().string()}; }
  TemporaryFolder folder_;
};

TEST_F(QuietMachine, IsWaitedForUntilOthersUseLittleOfTheProcessors) {
  put_ticks(1000, 1000);
  QuietWait wait = begin();
  EXPECT_FALSE(wait.is_over(0s));
  put_ticks(1060, 1040);  // 60 % of a second
  wait.look(1s);
  EXPECT_FALSE(wait.is_over(1s));
  EXPECT_EQ(wait.text(), "waits for a quiet machine: other programs use 60 % of 1 processor");
  put_ticks(1065, 1135);  // 5 % of the next one
  wait.look(2s);
  EXPECT_TRUE(wait.is_over(2s));
}

TEST_F(QuietMachine, IsWaitedForNoLongerThanAgreed) {
  put_ticks(1000, 1000);
  QuietWait wait = begin();
  EXPECT_FALSE(wait.is_over(9999ms));
  EXPECT_TRUE(wait.is_over(10s));
  EXPECT_EQ(wait.end(), 10s);
}

TEST_F(QuietMachine, IsNotJudgedByAFewTicks) {
  put_ticks(1000, 1000);
  QuietWait wait = begin();
  put_ticks(1000, 1010);
  wait.look(100ms);
  EXPECT_FALSE(wait.is_over(100ms));
}

TEST_F(QuietMachine, IsAssumedIfTheMachineDoesNotSay) {
  QuietWait wait = begin();
  wait.look(1s);
  EXPECT_TRUE(wait.is_over(1s));
}

}  // namespace
}  // namespace ngb::agent
