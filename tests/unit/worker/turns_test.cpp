// SPDX-License-Identifier: Apache-2.0
#include "worker/turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "worker/in_flight.h"

namespace ngb::worker {
namespace {

using testing::ElementsAre;

// Notes what happens: "turn", or how many repetitions ran at once.
struct Played final : Repeater, TurnGiver {
  std::vector<std::string> log{};
  std::vector<std::int64_t> latencies{};
  std::size_t turns = 0;
  std::size_t last_turn = 1000;       // in later ones the inference fails
  std::set<std::size_t> disturbed{};  // turns
  std::int64_t next_ns = 1;

  std::size_t repeat(std::uint32_t /*inferences*/, const Times& times, std::span<std::int64_t> latencies_ns) override {
    log.push_back(std::to_string(times.walls_ns.size()));
    for (std::int64_t& wall : times.walls_ns) wall = next_ns++;
    for (std::int64_t& latency : latencies_ns) latency = next_ns;
    return times.walls_ns.size();
  }
  bool wait_for_turn() override {
    log.emplace_back("turn");
    return ++turns <= last_turn;
  }
  bool was_disturbed() override { return disturbed.contains(turns); }
};

struct Repetitions {
  explicit Repetitions(std::size_t repetitions) : walls(repetitions), begins(repetitions) {}
  std::vector<std::int64_t> walls, begins;
  Times times() { return {walls, begins}; }
};

TEST(Turns, RunEverythingAtOnceUntilTheyBegin) {
  Played played;
  TurnTaker taker(played, played);
  Repetitions warm_up(7);
  EXPECT_EQ(taker.repeat(1, warm_up.times(), {}), 7U);
  EXPECT_THAT(played.log, ElementsAre("7"));
}

TEST(Turns, HaveSoManyRepetitionsEachAndAreWaitedForBeforeTheFirst) {
  Played played;
  TurnTaker taker(played, played);
  taker.begin(3, 10);
  Repetitions timed(7);
  EXPECT_EQ(taker.repeat(1, timed.times(), {}), 7U);
  EXPECT_THAT(played.log, ElementsAre("turn", "3", "turn", "3", "turn", "1"));
  EXPECT_THAT(timed.walls, ElementsAre(1, 2, 3, 4, 5, 6, 7));
}

TEST(Turns, GoOnInTheNextCallWhereTheyStopped) {
  Played played;
  TurnTaker taker(played, played);
  taker.begin(3, 10);
  Repetitions first(2);
  Repetitions second(2);
  taker.repeat(1, first.times(), {});
  taker.repeat(1, second.times(), {});
  EXPECT_THAT(played.log, ElementsAre("turn", "2", "1", "turn", "1"));
}

TEST(Turns, ThatWereDisturbedRunAgain) {
  Played played;
  played.disturbed = {2};
  TurnTaker taker(played, played);
  taker.begin(3, 10);
  Repetitions timed(7);
  EXPECT_EQ(taker.repeat(1, timed.times(), {}), 7U);
  EXPECT_THAT(played.log, ElementsAre("turn", "3", "turn", "3", "turn", "3", "turn", "1"));
  EXPECT_THAT(timed.walls, ElementsAre(1, 2, 3, 7, 8, 9, 10)) << "4, 5 and 6 are forgotten";
  EXPECT_EQ(taker.again(), 1U);
}

TEST(Turns, RunAgainOnlySoOften) {
  Played played;
  played.disturbed = {1, 2, 3, 4, 5, 6, 7};
  TurnTaker taker(played, played);
  std::vector<std::size_t> told;
  taker.begin(1, 2, [&told](std::size_t again) { told.push_back(again); });
  Repetitions timed(2);
  EXPECT_EQ(taker.repeat(1, timed.times(), {}), 2U);
  EXPECT_THAT(timed.walls, ElementsAre(3, 4)) << "the third and the fourth count, although they were disturbed too";
  EXPECT_EQ(taker.again(), 2U);
  EXPECT_THAT(told, ElementsAre(1, 2));
}

TEST(Turns, OfWhichAPartRanInACallBeforeRunAgainFromTheCallOn) {
  Played played;
  TurnTaker taker(played, played);
  taker.begin(3, 10);
  Repetitions first(2);
  Repetitions second(1);
  taker.repeat(1, first.times(), {});
  played.disturbed = {1};
  EXPECT_EQ(taker.repeat(1, second.times(), {}), 1U);
  EXPECT_THAT(played.log, ElementsAre("turn", "2", "1", "turn", "1"));
  EXPECT_THAT(first.walls, ElementsAre(1, 2));
  EXPECT_THAT(second.walls, ElementsAre(4));
}

TEST(Turns, EndWithTheInferenceThatFails) {
  Played played;
  played.last_turn = 1;
  TurnTaker taker(played, played);
  taker.begin(3, 10);
  Repetitions timed(7);
  EXPECT_EQ(taker.repeat(1, timed.times(), {}), 3U);
}

TEST(Turns, KeepTheLatenciesOfEachRepetitionInItsPlace) {
  Played played;
  TurnTaker taker(played, played);
  taker.begin(1, 10);
  Repetitions timed(2);
  constexpr std::uint32_t kInferences = 2;
  std::vector<std::int64_t> latencies(2 * latency_count(kInferences));
  EXPECT_EQ(taker.repeat(kInferences, timed.times(), latencies), 2U);
  EXPECT_THAT(latencies, ElementsAre(2, 2, 3, 3));
}

}  // namespace
}  // namespace ngb::worker
