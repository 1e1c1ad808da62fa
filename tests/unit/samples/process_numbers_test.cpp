// SPDX-License-Identifier: Apache-2.0
#include "samples/process_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::samples {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Started in 0.5 s, compiled in 2 s, of which tuning took 1.5 s; its first inference took 40 ms; then three of 10, 30
// and 20 ms, in 0.06 s with 0.09 s of processor time and 90 MB.
ProcessResult made_process() {
  ProcessResult made;
  made.phases = {
      {Phase::start, 500'000'000, {}, {}},
      {Phase::compile, 2'000'000'000, Known<std::int64_t>::of(3'000'000'000), Known<std::uint64_t>::of(70'000'000)},
      {Phase::timed, 60'000'000, Known<std::int64_t>::of(90'000'000), Known<std::uint64_t>::of(90'000'000)}};
  made.repetitions = {
      {40'000'000, 1, true, 0}, {10'000'000, 1, false, 0}, {30'000'000, 1, false, 0}, {20'000'000, 1, false, 0}};
  made.facts = {{"tuning_seconds_here", "1.5"}, {"tuning_seconds", "4"}};
  made.readings = {{"inferences", "1", "timed", Known<double>::of(3), {}}};
  return made;
}

double number(const char* metric, const ProcessResult& process = made_process()) {
  return process_number(metric)(process)->value.value();
}

TEST(ProcessNumbers, SayWhatAProcessTook) {
  EXPECT_DOUBLE_EQ(number("compile_s"), 0.5);
  EXPECT_DOUBLE_EQ(number("compile_total_s"), 4.5);
  EXPECT_DOUBLE_EQ(number("compile_cpu_s"), 3);
  EXPECT_DOUBLE_EQ(number("cold_start_s"), 2.5);
  EXPECT_DOUBLE_EQ(number("first_inference_s"), 0.04);
  EXPECT_DOUBLE_EQ(number("latency_p50_s"), 0.02);
  EXPECT_DOUBLE_EQ(number("cpu_per_inference_s"), 0.03);
  EXPECT_DOUBLE_EQ(number("timed_peak_bytes"), 90e6);
}

TEST(ProcessNumbers, DoNotCountWhereThereIsNoSuchPhase) { EXPECT_FALSE(process_number("load_s")(made_process())); }

TEST(ProcessNumbers, AreUnknownWithAReason) {
  EXPECT_EQ(process_number("latency_p90_s")(made_process())->reason, "needs 64 repetitions in each process");
  EXPECT_EQ(process_number("memory_growth_bytes_per_inference")(made_process())->reason,
            "its memory was read 0 times while it ran, and 8 are needed: `leak: true` in the study");
}

TEST(ProcessNumbers, AreNoneOfMetricsThatSeveralProcessesSay) {
  EXPECT_EQ(process_number("speed_up_ratio"), nullptr);
  EXPECT_EQ(process_number("shipped_size_bytes"), nullptr);
}

TEST(DecidingNumbers, AreSpeedsUnlessAMetricDecides) {
  EXPECT_THAT(deciding_numbers(made_process(), {}), ElementsAre(100, 50, 50));
  EXPECT_THAT(deciding_numbers(made_process(), work::DecidedBy{.metric = "timed_peak_bytes"}), ElementsAre(90e6));
  EXPECT_THAT(deciding_numbers(made_process(), work::DecidedBy{.metric = "load_s"}), IsEmpty());
}

// 90 MB are 0.9 of 100 MB; 20 ms are twice 10 ms; 50 inferences/s are a quarter of 200; what is unknown keeps nothing.
TEST(DecidingNumbers, BeginWithHowWellEachBoundIsKept) {
  const work::DecidedBy decided_by{.metric = "compile_s",
                                   .bounds = {{"timed_peak_bytes", false, 100e6},
                                              {"latency_p50_s", false, 0.01},
                                              {work::kSpeed, true, 200},
                                              {"latency_p99_s", false, 1}}};
  EXPECT_THAT(deciding_numbers(made_process(), decided_by),
              ElementsAre(testing::DoubleEq(100.0 / 90), testing::DoubleEq(0.5), testing::DoubleEq(0.25), 0, 0.5));
}

}  // namespace
}  // namespace ngb::samples
