// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up_cells.h"

namespace ngb::metrics {
namespace {

using made_up::process;
using made_up::value_of;

// Batch 4, an inference in 20 ms; 1 s of timed phase with 1.5 busy processors.
store::CellData metered(const std::vector<samples::Reading>& readings, int repetitions = 50) {
  const std::vector<double> times_ms(static_cast<std::size_t>(repetitions), 20.0);
  store::CellData cell = made_up::cell_of("fast", 4, {process(0, times_ms), process(1, times_ms)});
  for (store::RecordedProcess& each : cell.processes) each.readings = readings;
  return cell;
}

samples::Reading watts(const char* quantity, const char* when, double value) {
  return {quantity, "watt", when, Known<double>::of(value)};
}

double joules(const store::CellData& cell, const std::string& metric) {
  const auto found = value_of({cell}, "fast-4", metric);
  EXPECT_TRUE(found.value) << metric << ": " << found.reason.str();
  return found.value.value_or(-1);
}

std::string why_none(const store::CellData& cell, const std::string& metric) {
  return value_of({cell}, "fast-4", metric).reason;
}

TEST(EnergyMetrics, AreThePowerTimesTheSecondsOfAnInference) {
  const auto cell = metered({watts("package_power", "timed", 65), watts("idle_package_power", "start", 15),
                             watts("dram_power", "timed", 5), watts("platform_power", "timed", 90),
                             watts("gpu_mean_power", "timed", 200)});
  EXPECT_NEAR(joules(cell, "package_energy_per_inference_j"), 65 * 0.02, 1e-9);  // nothing of dram and platform
  EXPECT_NEAR(joules(cell, "net_package_energy_per_inference_j"), 50 * 0.02, 1e-9);
  EXPECT_NEAR(joules(cell, "gpu_energy_per_inference_j"), 200 * 0.02, 1e-9);
  EXPECT_NEAR(joules(cell, "cpu_per_inference_s"), 1.5 * 0.02, 1e-9);
  const auto interval = value_of({cell}, "fast-4", "package_energy_per_inference_j");
  EXPECT_NEAR(interval.low.value(), 1.3, 1e-9) << "two equal processes";
}

TEST(EnergyMetrics, OfABoardAreTheMeanOfItsReadings) {
  std::vector<samples::Reading> readings{watts("idle_board_power", "start", 5)};
  for (const double each : {8.0, 9.0, 10.0, 11.0, 12.0}) readings.push_back(watts("board_power", "during", each));
  const auto cell = metered(readings, 300);  // 6 s
  EXPECT_NEAR(joules(cell, "board_energy_per_inference_j"), 10 * 0.02, 1e-9);
  EXPECT_NEAR(joules(cell, "net_board_energy_per_inference_j"), 5 * 0.02, 1e-9);
  readings.pop_back();
  EXPECT_EQ(why_none(metered(readings, 300), "board_energy_per_inference_j"),
            "window too short: 4 readings of the meter, 5 are needed");
}

// Batch 4: a step makes four tokens.
TEST(EnergyMetrics, OfATokenAreThoseOfTheWidestMeterOverTheSamples) {
  std::vector<samples::Reading> readings{{"new_tokens", "1", "timed", Known<double>::of(1), {}},
                                         watts("package_power", "timed", 65)};
  store::CellData on_gpu = metered(readings, 300);
  on_gpu.of.compute_device = Known<std::string>::of("gpu");
  EXPECT_NEAR(joules(metered(readings, 300), "energy_per_token_j"), 65 * 0.02 / 4, 1e-9);
  EXPECT_EQ(why_none(on_gpu, "energy_per_token_j"), why_none(on_gpu, "gpu_energy_per_inference_j"));
  readings.push_back(watts("gpu_mean_power", "timed", 200));
  for (store::RecordedProcess& each : on_gpu.processes) each.readings = readings;
  EXPECT_NEAR(joules(on_gpu, "energy_per_token_j"), (65 + 200) * 0.02 / 4, 1e-9);
  for (int i = 0; i < 5; ++i) readings.push_back(watts("board_power", "during", 300));
  for (store::RecordedProcess& each : on_gpu.processes) each.readings = readings;
  EXPECT_NEAR(joules(on_gpu, "energy_per_token_j"), 300 * 0.02 / 4, 1e-9);
  EXPECT_EQ(why_none(metered({watts("package_power", "timed", 65)}), "energy_per_token_j"),
            "the model generates no tokens");
}

// The meter is read less and less often: 8 W for 2 s and 12 W for the 8 s that follow.
TEST(EnergyMetrics, OfABoardAreItsPowerOverTime) {
  std::vector<samples::Reading> readings;
  for (const auto& [power_w, at_s] : {std::pair(8.0, 1), {8.0, 2}, {12.0, 4}, {12.0, 6}, {12.0, 10}}) {
    readings.push_back(watts("board_power", "during", power_w));
    readings.back().at_ns = at_s * 1'000'000'000LL;
  }
  EXPECT_NEAR(joules(metered(readings, 300), "board_energy_per_inference_j"), (8 * 2 + 12 * 8) / 10.0 * 0.02, 1e-9);
}

TEST(EnergyMetrics, AreInTurnsThoseOfTheProcessThatHadAPartAlone) {
  const samples::Reading of_all{"package_power", "watt", "timed", Known<double>::unknown("other processes had turns")};
  store::CellData cell = metered({of_all});
  cell.processes[0].phases.push_back({.phase = samples::Phase::alone, .wall_ns = 1'000'000'000});
  cell.processes[0].readings.push_back(watts("package_power", "alone", 65));
  const auto found = value_of({cell}, "fast-4", "package_energy_per_inference_j");
  EXPECT_NEAR(found.value.value_or(-1), 65 * 0.02, 1e-9);
  EXPECT_FALSE(found.low) << "of one process";
  cell.processes[0].phases.back().wall_ns = 50'000'000;
  EXPECT_EQ(why_none(cell, "package_energy_per_inference_j"), "window too short: 0.05 s, the meter needs 0.1 s");
}

TEST(EnergyMetrics, SayWhyThereIsNoNumber) {
  const auto power = watts("package_power", "timed", 65);
  EXPECT_EQ(why_none(metered({power}, 2), "package_energy_per_inference_j"),
            "window too short: 0.04 s, the meter needs 0.1 s");
  EXPECT_EQ(why_none(metered({}), "gpu_energy_per_inference_j"), "no process recorded gpu_mean_power");
  EXPECT_EQ(why_none(metered({power}), "net_package_energy_per_inference_j"), "no process recorded idle_package_power");
  EXPECT_EQ(why_none(metered({power, watts("idle_package_power", "start", 70)}), "net_package_energy_per_inference_j"),
            "a process took no more than the machine when idle");
  const samples::Reading unread{"package_power", "watt", "timed", Known<double>::unknown("permission denied")};
  EXPECT_EQ(why_none(metered({unread}), "package_energy_per_inference_j"), "permission denied");
  store::CellData loaded = metered({power});
  loaded.of.load = "cpu: 1";
  EXPECT_EQ(why_none(loaded, "package_energy_per_inference_j"), "its load took energy as well");
}

// A process that waited for its processor: 100 ms of processor time and 65 W in a timed phase of 2 s, in which it had
// 40 inferences; the 20 that count took 5 ms each, as between the waits.
TEST(CostsOfAnInference, AreAmountsOfAPhaseOverTheInferencesOfThatPhase) {
  store::CellData cell = made_up::cell_of("fast", 4, {process(0, std::vector<double>(20, 5.0))});
  store::RecordedProcess& only = cell.processes.front();
  only.phases.back().wall_ns = 2'000'000'000;
  only.phases.back().cpu_ns = Known<std::int64_t>::of(100'000'000);
  only.readings = {watts("package_power", "timed", 65), {"inferences", "1", "timed", Known<double>::of(40)}};
  EXPECT_NEAR(joules(cell, "cpu_per_inference_s"), 0.0025, 1e-12);
  EXPECT_NEAR(joules(cell, "package_energy_per_inference_j"), 65 * 2 / 40.0, 1e-9);
}

// Before the worker counted, a process told when its repetitions began: 3 of 10 began in the timed phase.
TEST(CostsOfAnInference, OfOlderResultsAreOverTheRepetitionsThatBeganInThePhase) {
  store::CellData cell = made_up::cell_of("fast", 4, {process(0, std::vector<double>(10, 5.0))});
  store::RecordedProcess& only = cell.processes.front();
  only.phases.back().cpu_ns = Known<std::int64_t>::of(30'000'000);
  for (std::size_t i = 1; i <= 7; ++i) only.repetitions[i].started_ns = *only.phases.back().started_ns - 1;
  EXPECT_NEAR(joules(cell, "cpu_per_inference_s"), 0.010, 1e-12);
  only.repetitions.back().started_ns.reset();
  EXPECT_EQ(why_none(cell, "cpu_per_inference_s"), "measured by a version of ngb that did not count its inferences");
}

TEST(StartMetrics, AreTheTimesBeforeTheWarmUp) {
  store::CellData cell = metered({});
  EXPECT_EQ(why_none(cell, "load_s"), "each of its processes compiled");
  EXPECT_EQ(why_none(cell, "warm_start_s"), "each of its processes compiled");
  cell.processes[1].phases[0].phase = samples::Phase::load;
  cell.processes[1].phases[0].wall_ns = 100'000'000;
  cell.processes[1].phases.push_back({samples::Phase::check, 300'000'000, {}, {}, {}});
  EXPECT_NEAR(joules(cell, "load_s"), 0.1, 1e-12);
  EXPECT_NEAR(joules(cell, "cold_start_s"), 2.0, 1e-12) << "of the process that compiled";
  EXPECT_NEAR(joules(cell, "warm_start_s"), 0.4, 1e-12) << "of the one that loaded";
}

// The first repetition of a process's warm-up is its first inference: 9 and 11 ms here.
TEST(StartMetrics, TellTheFirstInferenceApart) {
  store::CellData cell = made_up::cell_of("fast", 4, {process(0, {5.0, 5.0}), process(1, {5.0, 5.0})});
  for (const std::size_t i : {0U, 1U}) {
    auto& first = cell.processes[i].repetitions;
    first.insert(first.begin(), {.wall_ns = 9'000'000 + 2'000'000 * static_cast<std::int64_t>(i), .is_warm_up = true});
  }
  EXPECT_NEAR(joules(cell, "first_inference_s"), 0.010, 1e-12);
  for (auto& each : cell.processes) each.repetitions.erase(each.repetitions.begin());
  for (auto& each : cell.processes) each.repetitions.front().is_warm_up = false;
  EXPECT_EQ(why_none(cell, "first_inference_s"), "no process kept its first inference");
}

TEST(DelegateMetrics, CountWhatTheCompilerTells) {
  store::CellData cell = made_up::cell_of("fast", 4, {process(0, {5.0, 5.0})});
  EXPECT_EQ(why_none(cell, "not_delegated_count"), "it has no delegate, or does not tell of it");
  auto& facts = cell.processes.front().facts;
  facts = {{"delegate", "xnnpack"}, {"delegated", "120"}, {"not_delegated", "GATHER 1, RESHAPE 12"}};
  EXPECT_EQ(joules(cell, "delegated_count"), 120);
  EXPECT_EQ(joules(cell, "not_delegated_count"), 13);
  facts = {{"delegate", "xnnpack"}, {"not_delegated", "none"}};
  EXPECT_EQ(joules(cell, "not_delegated_count"), 0);
  EXPECT_EQ(why_none(cell, "delegated_count"), "the compiled file does not say what is in its delegates");
  facts = {{"delegate", "xnnpack"}, {"is_fully_delegated", "true"}};
  EXPECT_EQ(joules(cell, "not_delegated_count"), 0);
  facts["delegate"] = "none";
  EXPECT_EQ(why_none(cell, "not_delegated_count"), "it has no delegate, or does not tell of it");
}

}  // namespace
}  // namespace ngb::metrics
