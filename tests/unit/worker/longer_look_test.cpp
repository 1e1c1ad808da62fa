// SPDX-License-Identifier: Apache-2.0
#include "worker/repetitions.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "player.h"

namespace ngb::worker {
namespace {

// Returns the milliseconds of the look after so many of compiling and of timing.
std::int64_t look_ms(const work::Protocol& protocol, std::int64_t compile_ms, std::int64_t timed_ms) {
  const std::vector<samples::PhaseUse> phases{{.phase = samples::Phase::compile, .wall_ns = compile_ms * 1'000'000},
                                              {.phase = samples::Phase::timed, .wall_ns = timed_ms * 1'000'000}};
  return longer_look_ns(protocol, phases) / 1'000'000;
}

TEST(LongerLook, LastsUntil3SecondsAfterTheTimedPhaseBeganIfThatIsLittleOfTheCell) {
  EXPECT_EQ(look_ms({.processes = 10}, 9'000, 1'000), 2'000);
}

TEST(LongerLook, CostsAtMost5PercentOfTheCell) {
  EXPECT_EQ(look_ms({.processes = 5}, 1'900, 100), 500);  // of 5 processes of 2 s
  EXPECT_EQ(look_ms({.processes = 1}, 1'900, 100), 100);
}

TEST(LongerLook, LastsNoLongerThanTheProcessBecauseABudgetMayEndBeforeTheOthers) {
  EXPECT_EQ(look_ms({.processes = 1000}, 400, 100), 500);
}

TEST(LongerLook, IsNotNeededByALongTimedPhase) { EXPECT_LE(look_ms({.processes = 100}, 1'000, 3'000), 0); }

TEST(LongerLook, LastsAsLongAsTheStudyAsks) {
  EXPECT_EQ(look_ms({.processes = 1, .longer_look_s = 10}, 100, 100), 9'900);
  EXPECT_LE(look_ms({.processes = 1, .longer_look_s = 0}, 100'000, 100), 0);
}

void flush_nothing(bool /*flush*/) {}
std::int64_t no_cpu() { return 0; }

// 1 + 20 repetitions of 10 ms, then 100 of 10 ms and all others of 15 ms: the second half of 0.9 s has none of the
// others, that of 3 s has nothing else.
TEST(LongerLook, TellsHowLongAnInferenceTakesLater) {
  const auto later_ms = [](std::int64_t look_ms) {
    Player player([](std::size_t i) { return (i < 121 ? 10 : 15) * kMillisecondNs; });
    Repetitions timed(work::Protocol(), player);
    EXPECT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
    const Later later = timed.look_longer(look_ms * kMillisecondNs, flush_nothing, no_cpu);
    EXPECT_EQ(timed.repetitions().size(), 21U);  // the others do not count
    return later.inference_ns.value_or(0) / static_cast<double>(kMillisecondNs);
  };
  EXPECT_DOUBLE_EQ(later_ms(900), 10);
  EXPECT_DOUBLE_EQ(later_ms(3000), 15);
}

// 1 + 20 repetitions, then one that settles, and at least three of which the median counts.
TEST(LongerLook, TellsTheProcessorTimeOfAnInference) {
  std::int64_t cpu_ns = 0;
  std::size_t ran = 0;
  Player player([&](std::size_t i) {
    cpu_ns += (i == 21 ? 90 : i == 22 ? 30 : 4) * kMillisecondNs;
    ran = i + 1;
    return 10 * kMillisecondNs;
  });
  Repetitions timed(work::Protocol(), player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  EXPECT_DOUBLE_EQ(timed.processor_time_ns(1, [&] { return cpu_ns; }).value_or(0), 4e6);
  EXPECT_EQ(ran, 25U);
  EXPECT_DOUBLE_EQ(timed.processor_time_ns(100 * kMillisecondNs, [&] { return cpu_ns; }).value_or(0), 4e6);
  EXPECT_EQ(ran, 35U);
  EXPECT_EQ(timed.repetitions().size(), 21U);  // the others do not count
}

// Looks on at a compiler of which an inference uses `usual_ms` of processor time, `flushed_ms` where subnormal numbers
// are taken as 0, and lasts `waits(…)` ms longer, because other programs run.
struct Looked {
  Later later{};
  std::int64_t lasted_ms = 0;
  bool flushes = false;  // afterwards
};
Looked looked_on(std::int64_t for_ms, std::int64_t usual_ms, std::int64_t flushed_ms,
                 const std::function<std::int64_t(bool flushes, std::size_t i)>& waits_ms) {
  Looked looked;
  std::int64_t cpu_ns = 0;
  std::int64_t wall_ns = 0;
  Player player([&](std::size_t i) {
    const std::int64_t used_ns = (looked.flushes ? flushed_ms : usual_ms) * kMillisecondNs;
    const std::int64_t lasts_ns = used_ns + waits_ms(looked.flushes, i) * kMillisecondNs;
    cpu_ns += used_ns;
    wall_ns += lasts_ns;
    return lasts_ns;
  });
  Repetitions timed(work::Protocol(), player);
  EXPECT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  wall_ns = 0;
  looked.later = timed.look_longer(
      for_ms * kMillisecondNs, [&looked](bool flush) { looked.flushes = flush; }, [&cpu_ns] { return cpu_ns; });
  looked.lasted_ms = wall_ns / kMillisecondNs;
  return looked;
}

TEST(LongerLook, TellsHowLongAnInferenceTakesWithoutSubnormalNumbers) {
  const Looked looked = looked_on(1000, 10, 2, [](bool, std::size_t) { return 0; });
  EXPECT_DOUBLE_EQ(looked.later.inference_ns.value_or(0), 10e6);
  EXPECT_DOUBLE_EQ(looked.later.flushed_ns.value_or(0), 2e6);
  EXPECT_FALSE(looked.flushes);
}

// A part takes 125 ms, or one repetition: 125 of 1 ms, one of 100 ms.
TEST(LongerLook, LooksNoLongerThanAskedHoweverMuchSubnormalNumbersCost) {
  const Looked looked = looked_on(3000, 100, 1, [](bool, std::size_t) { return 0; });
  EXPECT_LE(looked.lasted_ms, 3125);
  EXPECT_DOUBLE_EQ(looked.later.inference_ns.value_or(0), 100e6);
  EXPECT_DOUBLE_EQ(looked.later.flushed_ns.value_or(0), 1e6);
}

// On a busy machine the repetitions that are not flushed wait twice as long as they compute.
TEST(LongerLook, TellsNothingOfSubnormalNumbersIfOnlyWaitsForAProcessorDiffer) {
  const Looked looked = looked_on(1000, 10, 10, [](bool flushes, std::size_t) { return flushes ? 0 : 20; });
  EXPECT_DOUBLE_EQ(looked.later.inference_ns.value_or(0), 30e6);
  EXPECT_FALSE(looked.later.flushed_ns);
}

TEST(LongerLook, TellsOfSubnormalNumbersBesideOtherPrograms) {
  const Looked looked = looked_on(1000, 10, 4, [](bool, std::size_t i) { return i % 3 == 0 ? 20 : 0; });
  EXPECT_DOUBLE_EQ(looked.later.inference_ns.value_or(0), 10e6);
  EXPECT_DOUBLE_EQ(looked.later.flushed_ns.value_or(0), 4e6);
}

// A look of 1 s has 24 parts of 41 ms, or of one repetition: 10 to 40 ms, then one of 50 ms, one of 60 ms and so on.
// The parts that end after 500 ms are those of 100 to 140 ms, of which every other one is flushed.
TEST(LongerLook, TellsHowLongAnInferenceTakesThatTakesLongerEachTime) {
  Player player(
      [](std::size_t i) { return (i < 21 ? 10 : 10 * (static_cast<std::int64_t>(i) - 20)) * kMillisecondNs; });
  Repetitions timed(work::Protocol(), player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  const Later later = timed.look_longer(1000 * kMillisecondNs, flush_nothing, no_cpu);
  EXPECT_DOUBLE_EQ(later.inference_ns.value_or(0), 120e6);  // of 100, 120 and 140 ms
  EXPECT_FALSE(later.flushed_ns);                           // two: 110 and 130 ms
}

TEST(LongerLook, TellsTheTimeOfOneInferenceOfAGroup) {
  Player player([](std::size_t) { return kMillisecondNs / 4; });
  Repetitions timed(work::Protocol(), player);
  ASSERT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  EXPECT_DOUBLE_EQ(timed.look_longer(100 * kMillisecondNs, flush_nothing, no_cpu).inference_ns.value_or(0), 250'000);
}

TEST(LongerLook, TellsNothingAfterTooShortALookOrAFailure) {
  const auto later = [](std::int64_t look_ms, std::size_t fails_at) {
    Player player([](std::size_t) { return 10 * kMillisecondNs; }, fails_at);
    Repetitions timed(work::Protocol(), player);
    EXPECT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
    return timed.look_longer(look_ms * kMillisecondNs, flush_nothing, no_cpu).inference_ns;
  };
  EXPECT_FALSE(later(0, SIZE_MAX));
  EXPECT_FALSE(later(40, SIZE_MAX));  // four repetitions, every other one of which is flushed
  EXPECT_TRUE(later(1000, SIZE_MAX));
  EXPECT_FALSE(later(1000, 30));
}

}  // namespace
}  // namespace ngb::worker
