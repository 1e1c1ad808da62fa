// SPDX-License-Identifier: Apache-2.0
#include "worker/repetitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>

#include "player.h"

namespace ngb::worker {
namespace {

// Plays a compiler with several inferences in flight, each of which lasts as long as all of them together.
class PlayerInFlight final : public Repeater {
 public:
  PlayerInFlight(std::uint32_t in_flight, std::int64_t latency_ns) : in_flight_(in_flight), latency_ns_(latency_ns) {}
  std::size_t repeat(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns) override {
    EXPECT_TRUE(is_first_ ? inferences == 1 : inferences % in_flight_ == 0) << inferences;
    for (std::size_t i = 0; i < times.walls_ns.size(); ++i) {
      times.walls_ns[i] = latency_ns_ * (is_first_ ? 1 : inferences / in_flight_);
      times.begins_ns[i] = 1;
    }
    std::fill(latencies_ns.begin(), latencies_ns.end(), latency_ns_);
    is_first_ = false;
    return times.walls_ns.size();
  }
  [[nodiscard]] std::uint32_t in_flight() const override { return in_flight_; }

 private:
  std::uint32_t in_flight_;
  std::int64_t latency_ns_;
  bool is_first_ = true;
};

// Plays passes of four inferences, the first of which takes longer.
class PlayerOfPasses final : public Repeater {
 public:
  std::size_t repeat(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns) override {
    EXPECT_EQ(inferences, 4U);
    for (std::size_t i = 0; i < times.walls_ns.size(); ++i) {
      const std::int64_t latency_ns = is_first_ ? 9000 : 1000;  // far below what repetitions last at least
      is_first_ = false;
      times.walls_ns[i] = 4 * latency_ns;
      times.begins_ns[i] = 1;
      std::fill_n(latencies_ns.begin() + static_cast<std::ptrdiff_t>(4 * i), 4, latency_ns);
    }
    return times.walls_ns.size();
  }
  [[nodiscard]] std::uint32_t pass() const override { return 4; }

 private:
  bool is_first_ = true;
};

std::int64_t steady_count(const std::vector<samples::Repetition>& repetitions) {
  return std::count_if(repetitions.begin(), repetitions.end(), [](const auto& r) { return !r.is_warm_up; });
}

TEST(Repetitions, OfALongSteadyInferenceHasOneWarmUpRepetition) {
  Player player([](std::size_t) { return 10 * kMillisecondNs; });
  const work::Protocol protocol;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  const auto repetitions = timed.repetitions();
  ASSERT_EQ(repetitions.size(), 21U);
  EXPECT_TRUE(repetitions[0].is_warm_up);
  EXPECT_EQ(repetitions[0].started_ns, 1000);
  EXPECT_EQ(repetitions[20].started_ns, 1000 + 200 * kMillisecondNs);
  EXPECT_EQ(steady_count(repetitions), 20);
  EXPECT_EQ(repetitions[0].inferences, 1U);
  EXPECT_EQ(timed.stop_reason(), "repetitions");
  EXPECT_TRUE(timed.is_steady());
}

TEST(Repetitions, ArePassesWhereThereAreSomeAndKeepTheTimeOfEachStepAlsoOfTheFirstPass) {
  PlayerOfPasses player;
  work::Protocol protocol;
  protocol.repetitions = 5;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  const auto repetitions = timed.repetitions();
  EXPECT_EQ(steady_count(repetitions), 5);
  EXPECT_TRUE(repetitions[0].is_warm_up);
  for (const samples::Repetition& each : repetitions) EXPECT_EQ(each.inferences, 4U);
  const auto latencies = timed.latencies_ns();
  ASSERT_EQ(latencies.size(), repetitions.size());
  EXPECT_EQ(latencies[0], std::vector<std::int64_t>(4, 9000));
  EXPECT_EQ(latencies[1], std::vector<std::int64_t>(4, 1000));
}

TEST(Repetitions, RunsOnUntilThereAreEnoughSteadyRepetitions) {
  Player player([](std::size_t i) { return (i < 7 ? 50 : 10) * kMillisecondNs; });
  const work::Protocol protocol;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  const auto repetitions = timed.repetitions();
  EXPECT_EQ(repetitions.size(), 27U);
  EXPECT_EQ(steady_count(repetitions), 20);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_TRUE(repetitions[i].is_warm_up);
  EXPECT_TRUE(timed.is_steady());
}

TEST(Repetitions, GivesUpOnAnEndlessTransientAndSaysSo) {
  Player player(
      [](std::size_t i) { return 1000 * kMillisecondNs - static_cast<std::int64_t>(i) * 8 * kMillisecondNs; });
  work::Protocol protocol;
  protocol.max_transient_ns = 15'000 * kMillisecondNs;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  const auto repetitions = timed.repetitions();
  EXPECT_FALSE(timed.is_steady());
  EXPECT_EQ(steady_count(repetitions), 20);
  EXPECT_FALSE(repetitions.back().is_warm_up);
  EXPECT_EQ(timed.stop_reason(), "repetitions");
  EXPECT_LT(repetitions.size(), 60U);
}

TEST(Repetitions, ThatGoesOnForLongKeepsItsNewestRepetitions) {
  Player player([](std::size_t) { return 10 * kMillisecondNs; });
  const work::Protocol protocol;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  int asked = 0;
  ASSERT_TRUE(timed.go_on([&] { return ++asked > 100'000; }));
  const auto repetitions = timed.repetitions();
  EXPECT_GE(steady_count(repetitions), 20);
  EXPECT_EQ(repetitions.front().started_ns, 1000);  // the warm-up stays
  EXPECT_EQ(repetitions.back().started_ns, 1000 + std::int64_t{100'020} * 10 * kMillisecondNs);
  for (std::size_t i = 2; i < repetitions.size(); ++i) {  // of those that count, each follows the one before
    EXPECT_EQ(repetitions[i].started_ns, repetitions[i - 1].started_ns.value_or(0) + 10 * kMillisecondNs);
  }
}

TEST(Repetitions, ThatGoesOnForLongKeepsTheLatenciesOfWhatItKeeps) {
  PlayerInFlight player(4, 10 * kMillisecondNs);
  const work::Protocol protocol;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  int asked = 0;
  ASSERT_TRUE(timed.go_on([&] { return ++asked > 1000; }));
  const auto latencies = timed.latencies_ns();
  ASSERT_EQ(latencies.size(), timed.repetitions().size());
  for (std::size_t i = 1; i < latencies.size(); ++i) {
    EXPECT_EQ(latencies[i], std::vector<std::int64_t>(4, 10 * kMillisecondNs)) << i;
  }
}

TEST(Repetitions, GroupsShortInferences) {
  Player player([](std::size_t) { return 100'000; });
  const work::Protocol protocol;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  const auto repetitions = timed.repetitions();
  EXPECT_EQ(repetitions[0].inferences, 1U);  // the pilot
  EXPECT_TRUE(repetitions[0].is_warm_up);
  EXPECT_EQ(steady_count(repetitions), 20);
  for (const auto& repetition : repetitions) {
    if (repetition.is_warm_up) continue;
    EXPECT_EQ(repetition.inferences, 12U);
    EXPECT_EQ(repetition.wall_ns, 1'200'000);
  }
}

TEST(Repetitions, GroupsShortInferencesAlsoIfTheFirstOneWasLong) {
  for (const auto repetitions : {std::optional<int>(20), std::optional<int>()}) {  // nothing: by how long one takes
    Player player([](std::size_t i) { return i == 0 ? 5 * kMillisecondNs : 2'000; });
    work::Protocol protocol;
    protocol.repetitions = repetitions;
    Repetitions timed(protocol, player);
    ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
    const auto all = timed.repetitions();
    EXPECT_EQ(steady_count(all), 20);
    EXPECT_EQ(all.back().inferences, 600U) << "1.2 ms of 2 us each";
    EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](const auto& r) { return r.is_warm_up || r.inferences == 600; }));
  }
}

TEST(Repetitions, GroupsThemWithAFixedWarmUpToo) {
  Player player([](std::size_t i) { return i == 0 ? 5 * kMillisecondNs : 2'000; });
  work::Protocol protocol;
  protocol.warm_up = 1;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  const auto all = timed.repetitions();
  EXPECT_EQ(steady_count(all), 20);
  EXPECT_EQ(all.back().inferences, 600U);
}

TEST(Repetitions, WithSeveralInFlightARepetitionHasAMultipleOfThem) {
  PlayerInFlight player(4, 300'000);
  const work::Protocol protocol;  // a repetition lasts 1 ms at least: 4 rounds of 300 us, with a fifth as reserve
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  const auto repetitions = timed.repetitions();
  EXPECT_EQ(repetitions[0].inferences, 1U);
  EXPECT_TRUE(repetitions[0].is_warm_up);
  EXPECT_EQ(repetitions[1].inferences, 4U);  // the pilot
  EXPECT_EQ(repetitions.back().inferences, 16U);
  EXPECT_EQ(repetitions.back().wall_ns, 1'200'000);
  EXPECT_EQ(steady_count(repetitions), 20);
}

TEST(Repetitions, KeepsTheLatenciesOfEachRepetitionThatHasSeveralInFlight) {
  PlayerInFlight player(2, 20 * kMillisecondNs);
  const work::Protocol protocol;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  const auto latencies_ns = timed.latencies_ns();
  ASSERT_EQ(latencies_ns.size(), timed.repetitions().size());
  EXPECT_TRUE(latencies_ns[0].empty());
  for (std::size_t i = 1; i < latencies_ns.size(); ++i) {
    EXPECT_EQ(latencies_ns[i], (std::vector<std::int64_t>{20 * kMillisecondNs, 20 * kMillisecondNs}));
  }
}

TEST(Repetitions, KeepsNoLatenciesOfOneInferenceAtATime) {
  Player player([](std::size_t) { return 10 * kMillisecondNs; });
  const work::Protocol protocol;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  EXPECT_TRUE(timed.latencies_ns().empty());
}

TEST(Repetitions, CountsPilotRepetitionsOfTheFinalSizeAsItsOwn) {
  Player player([](std::size_t) { return 2 * kMillisecondNs; });
  const work::Protocol protocol;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  EXPECT_EQ(timed.repetitions().size(), 23U);  // two milliseconds are not clearly long: three in the pilot
  EXPECT_EQ(steady_count(timed.repetitions()), 20);
}

TEST(Repetitions, UsesAFixedWarmUpUnchanged) {
  Player player([](std::size_t i) { return (i < 7 ? 50 : 10) * kMillisecondNs; });
  work::Protocol protocol;
  protocol.warm_up = 4;
  protocol.repetitions = 10;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  const auto repetitions = timed.repetitions();
  ASSERT_EQ(repetitions.size(), 14U);
  EXPECT_TRUE(repetitions[3].is_warm_up);
  EXPECT_FALSE(repetitions[4].is_warm_up);
}

TEST(Repetitions, StopsByPrecision) {
  Player player([](std::size_t i) { return 10 * kMillisecondNs + static_cast<std::int64_t>(i % 3) * 1000; });
  work::Protocol protocol;
  protocol.stop_when.emplace();
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  EXPECT_EQ(timed.stop_reason(), "half_width");
  EXPECT_GE(steady_count(timed.repetitions()), 10);
  EXPECT_LT(steady_count(timed.repetitions()), 15);
}

TEST(Repetitions, StopsAtTheMaximumWhenPrecisionIsOutOfReach) {
  Player player([](std::size_t i) { return (i % 2 == 0 ? 10 : 20) * kMillisecondNs; });
  work::Protocol protocol;
  protocol.stop_when.emplace();
  protocol.stop_when->max_repetitions = 50;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  EXPECT_EQ(timed.stop_reason(), "max_repetitions");
  EXPECT_EQ(steady_count(timed.repetitions()), 50);
}

TEST(Repetitions, StopsInTimeWhenPrecisionIsOutOfReach) {
  Player player([](std::size_t i) { return (i % 2 == 0 ? 100 : 200) * kMillisecondNs; });
  work::Protocol protocol;
  protocol.stop_when.emplace();
  protocol.stop_when->max_ns = 3000 * kMillisecondNs;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  EXPECT_EQ(timed.stop_reason(), "max_time");
  EXPECT_NEAR(static_cast<double>(timed.repetitions().size()), 21, 2);
}

TEST(Repetitions, KeepsWhatWasMeasuredBeforeAFailure) {
  Player player([](std::size_t) { return 10 * kMillisecondNs; }, 8);
  const work::Protocol protocol;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up());
  EXPECT_FALSE(timed.time());
  EXPECT_EQ(timed.repetitions().size(), 8U);
  EXPECT_EQ(steady_count(timed.repetitions()), 7);
}

TEST(Repetitions, OfASingleRepetitionEnds) {
  Player player([](std::size_t) { return 10 * kMillisecondNs; });
  work::Protocol protocol;
  protocol.repetitions = 1;
  Repetitions timed(protocol, player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  EXPECT_EQ(steady_count(timed.repetitions()), 1);
}

// Returns the mean time in ms of the repetitions that count.
double mean_ms(const std::vector<samples::Repetition>& repetitions) {
  double sum_ns = 0;
  for (const samples::Repetition& each : repetitions) {
    if (!each.is_warm_up) sum_ns += static_cast<double>(each.wall_ns);
  }
  return sum_ns / 1e6 / static_cast<double>(steady_count(repetitions));
}

TEST(Repetitions, OfASlowStartDoNotCountAlsoWhereFewAreAsked) {
  for (const int asked : {3, 4, 5, 20}) {
    Player player([](std::size_t i) { return (i < 3 ? 50 : 10) * kMillisecondNs; });
    work::Protocol protocol;
    protocol.repetitions = asked;
    Repetitions timed(protocol, player);
    ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
    EXPECT_EQ(steady_count(timed.repetitions()), asked);
    EXPECT_EQ(mean_ms(timed.repetitions()), 10) << asked << ": the first three inferences take five times as long";
  }
}

TEST(Repetitions, ThatAreFewAndNoisyAreHardlyEverMore) {
  constexpr int kProcesses = 2000;
  std::mt19937 random(1);
  for (const auto& [noise, most] : {std::pair(0.02, 5.0), std::pair(0.10, 5.1)}) {
    std::normal_distribution<double> normal(0, noise);
    std::size_t all = 0;
    for (int process = 0; process < kProcesses; ++process) {
      Player player([&](std::size_t) { return static_cast<std::int64_t>(1e7 * std::exp(normal(random))); });
      work::Protocol protocol;
      protocol.repetitions = 4;
      Repetitions timed(protocol, player);
      ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
      all += timed.repetitions().size();
    }
    EXPECT_LE(static_cast<double>(all) / kProcesses, most) << noise << ": one of warm-up, and four";
  }
}

std::int64_t steady_count_by_time(std::int64_t inference_ns) {
  Player player([inference_ns](std::size_t i) { return i == 0 ? 5 * inference_ns : inference_ns; });
  work::Protocol protocol;
  protocol.repetitions = std::nullopt;
  Repetitions timed(protocol, player);
  EXPECT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  EXPECT_EQ(timed.stop_reason(), "repetitions");
  return steady_count(timed.repetitions());
}

TEST(Repetitions, ChoosesTheNumberOfRepetitionsByHowLongOneTakes) {
  EXPECT_EQ(steady_count_by_time(kMillisecondNs / 100), 20);
  EXPECT_EQ(steady_count_by_time(49 * kMillisecondNs), 20);
  EXPECT_EQ(steady_count_by_time(60 * kMillisecondNs), 10);
  EXPECT_EQ(steady_count_by_time(300 * kMillisecondNs), 5);
  EXPECT_EQ(steady_count_by_time(3'000 * kMillisecondNs), 3);
  EXPECT_EQ(steady_count_by_time(80'000 * kMillisecondNs), 1);
}

}  // namespace
}  // namespace ngb::worker
