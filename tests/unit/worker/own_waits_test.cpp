// SPDX-License-Identifier: Apache-2.0
#include "worker/own_waits.h"

#include <gtest/gtest.h>

#include <vector>

namespace ngb::worker {
namespace {

constexpr std::int64_t kMillisecond_ns = 1'000'000;

// A machine of two processors on which a process runs. Its counters stand still while others have their turns.
class Machine {
 public:
  explicit Machine(std::size_t threads) : ran_ms_(threads), waited_ms_(threads) {}

  // Passes time in which each thread ran and waited so long, and other programs used the processors for so long.
  void pass(std::int64_t ms, const std::vector<int>& ran_ms, const std::vector<int>& waited_ms, int others_ms) {
    now_ms_ += ms;
    busy_ms_ += others_ms;
    for (std::size_t i = 0; i < ran_ms_.size(); ++i) {
      ran_ms_[i] += ran_ms[i];
      waited_ms_[i] += waited_ms[i];
      busy_ms_ += ran_ms[i];
    }
  }
  [[nodiscard]] probe::Counters read() const {
    probe::Counters counters;
    counters.cpus = 2;
    counters.taken_ns = now_ms_ * kMillisecond_ns;
    std::map<pid_t, probe::ThreadTime> threads;
    for (std::size_t i = 0; i < ran_ms_.size(); ++i) {
      threads[static_cast<pid_t>(i)] = {static_cast<std::uint64_t>(ran_ms_[i] * kMillisecond_ns),
                                        static_cast<std::uint64_t>(waited_ms_[i] * kMillisecond_ns)};
    }
    counters.threads = Known<std::map<pid_t, probe::ThreadTime>>::of(std::move(threads));
    probe::Ticks ticks;  // of 10 ms
    ticks.total = static_cast<std::uint64_t>(2 * now_ms_ / 10);
    ticks.busy = static_cast<std::uint64_t>(busy_ms_ / 10);
    counters.ticks = Known<probe::Ticks>::of(ticks);
    return counters;
  }

 private:
  std::int64_t now_ms_ = 0;
  std::int64_t busy_ms_ = 0;
  std::vector<std::int64_t> ran_ms_;
  std::vector<std::int64_t> waited_ms_;
};

// Returns what a turn of 20 ms is judged to be, after 10 s of the turns of others.
std::optional<double> turn(OwnWaits& waits, Machine& machine, const std::vector<int>& ran_ms,
                           const std::vector<int>& waited_ms, int others_ms) {
  machine.pass(10'000, std::vector<int>(ran_ms.size()), std::vector<int>(ran_ms.size()), 20'000);
  const probe::Counters woke = machine.read();
  machine.pass(20, ran_ms, waited_ms, others_ms);
  return waits.of_turn(woke, woke, machine.read());
}

TEST(OwnWaits, AreCertainWhereTheThreadsLeaveTheProcessorsNoTime) {
  OwnWaits waits(0.05);
  Machine machine(4);  // on two processors
  EXPECT_EQ(turn(waits, machine, {10, 10, 10, 10}, {10, 10, 10, 10}, 0), 50);
}

TEST(OwnWaits, AreNoneWhereAnotherProgramHadTheProcessor) {
  OwnWaits waits(0.05);
  Machine machine(2);
  EXPECT_EQ(turn(waits, machine, {20, 10}, {0, 10}, 10), std::nullopt);
}

// The kernel puts two threads on one processor, and the other one idles: within 20 ms that looks like a neighbour.
TEST(OwnWaits, AreFoundBesideAnIdleProcessorOnceTheTurnsThatWaitMakeUp200Ms) {
  OwnWaits waits(0.05);
  Machine machine(2);
  for (int i = 1; i < 10; ++i) EXPECT_EQ(turn(waits, machine, {10, 10}, {10, 10}, 0), std::nullopt) << i;
  for (int i = 10; i < 40; ++i) EXPECT_EQ(turn(waits, machine, {10, 10}, {10, 10}, 0), 50) << i;
}

TEST(OwnWaits, AreNeverFoundBesideANeighbour) {
  OwnWaits waits(0.05);
  Machine machine(2);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(turn(waits, machine, {20, 10}, {0, 10}, 10), std::nullopt) << i;
}

TEST(OwnWaits, OfOneTurnExcuseNoNeighbourInALaterOne) {
  OwnWaits waits(0.05);
  Machine machine(4);
  EXPECT_EQ(turn(waits, machine, {10, 10, 10, 10}, {10, 10, 10, 10}, 0), 50);
  EXPECT_EQ(turn(waits, machine, {5, 5, 5, 5}, {15, 15, 15, 15}, 20), std::nullopt);
}

TEST(OwnWaits, FoundBesideAnIdleProcessorExcuseANeighbourForNoMoreThan200Ms) {
  OwnWaits waits(0.05);
  Machine machine(2);
  for (int i = 0; i < 10; ++i) turn(waits, machine, {10, 10}, {10, 10}, 0);
  int excused = 0;
  for (int i = 0; i < 60; ++i) excused += turn(waits, machine, {20, 10}, {0, 10}, 10) ? 1 : 0;
  EXPECT_EQ(excused, 9) << "of 20 ms each";
}

// As a long turn does, which needs no other one beside it.
TEST(OwnWaits, OfALongTurnAreDecidedByTheTurnItself) {
  OwnWaits waits(0.05);
  Machine machine(2);
  for (const int others_ms : {0, 500}) {
    const probe::Counters woke = machine.read();
    machine.pass(1000, {500, 500}, {500, 500}, others_ms);
    EXPECT_EQ(waits.of_turn(woke, woke, machine.read()).has_value(), others_ms == 0);
  }
}

}  // namespace
}  // namespace ngb::worker
