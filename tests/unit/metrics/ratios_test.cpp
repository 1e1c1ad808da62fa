// SPDX-License-Identifier: Apache-2.0
// Expected values: scipy 1.17.1, ttest_rel and ttest_ind(equal_var=False) on the logarithms of the same speeds.
#include "metrics/ratios.h"

#include <gtest/gtest.h>

#include "made_up_cells.h"
#include "metrics/families.h"

namespace ngb::metrics {
namespace {

const std::vector<double> kSlow{100.0, 104.0, 98.0, 101.0, 97.0};
const std::vector<double> kFast{110.0, 113.0, 109.0, 108.0, 111.0};

// Makes a process for each speed, in samples/s, at batch 1. Processes are the rounds 0, 1, … of run `run_key`.
store::CellData at_speeds(const std::string& compiler, const std::vector<double>& speeds, std::int64_t run_key = 1) {
  std::vector<store::RecordedProcess> processes;
  for (const double speed : speeds) {
    processes.push_back(made_up::process(static_cast<int>(processes.size()), {1e3 / speed}));
    processes.back().run_key = run_key;
  }
  return made_up::cell_of(compiler, 1, processes);
}

void expect_value(const store::DerivedValue& found, double value, double low, double high) {
  ASSERT_TRUE(found.value) << found.reason.str();
  ASSERT_TRUE(found.low);
  EXPECT_NEAR(*found.value, value, 1e-6);
  EXPECT_NEAR(*found.low, low, 1e-6);
  EXPECT_NEAR(*found.high, high, 1e-6);
}

TEST(Ratios, PairTheRoundsOfAGroup) {
  expect_value(made_up::value_of({at_speeds("identity", kSlow), at_speeds("fast", kFast)}, "fast-1", "speed_up_ratio"),
               1.102194824895, 1.067745197778, 1.137755931427);
}

TEST(Ratios, TreatProcessesOfDifferentRunsAsIndependent) {
  expect_value(
      made_up::value_of({at_speeds("identity", kSlow, 1), at_speeds("fast", kFast, 2)}, "fast-1", "speed_up_ratio"),
      1.102194824895, 1.064911334170, 1.140783643712);
}

TEST(Ratios, DoNotPairTheRoundsOfDifferentEnvironments) {
  auto identity = at_speeds("identity", kSlow);
  for (auto& process : identity.processes) process.environment_hash = "after a new kernel";
  expect_value(made_up::value_of({identity, at_speeds("fast", kFast)}, "fast-1", "speed_up_ratio"), 1.102194824895,
               1.064911334170, 1.140783643712);
}

store::CellData under(const std::string& load, store::CellData cell) {
  cell.of.load = load;
  cell.cell_id += " " + load;
  return cell;
}

TEST(Ratios, OfRetentionPairTheRoundsUnderALoadWithThoseWithoutOne) {
  // The speeds of the first two tests, the other way round: log(slow / fast) of each round.
  const auto found = made_up::value_of({at_speeds("fast", kFast), under("cpu: 1", at_speeds("fast", kSlow))},
                                       "fast-1 cpu: 1", "load_retention_ratio");
  expect_value(found, 1 / 1.102194824895, 1 / 1.137755931427, 1 / 1.067745197778);
}

TEST(Ratios, OfRetentionNeedALoadAndTheSameCellWithoutIt) {
  const auto idle = at_speeds("fast", kFast);
  const auto loaded = under("cpu: 1", at_speeds("fast", kSlow));
  EXPECT_EQ(made_up::value_of({idle, loaded}, "fast-1", "load_retention_ratio").reason, "measured without a load");
  EXPECT_EQ(made_up::value_of({loaded, under("cpu: 2", loaded)}, "fast-1 cpu: 1", "load_retention_ratio").reason,
            "the cell without a load was not measured here");
}

store::CellData with_instances(int instances, store::CellData cell) {
  cell.of.compiler.instances = instances;
  cell.cell_id += " x" + std::to_string(instances);
  return cell;
}

TEST(Ratios, OfInstancesPairTheRoundsWithThoseOfOneInstance) {
  const auto found = made_up::value_of({at_speeds("fast", kSlow), with_instances(2, at_speeds("fast", kFast))},
                                       "fast-1 x2", "instances_gain_ratio");
  expect_value(found, 1.102194824895, 1.067745197778, 1.137755931427);
}

TEST(Ratios, OfInstancesNeedSeveralAndTheSameCellWithOne) {
  const auto one = at_speeds("fast", kSlow);
  const auto two = with_instances(2, at_speeds("fast", kFast));
  EXPECT_EQ(made_up::value_of({one, two}, "fast-1", "instances_gain_ratio").reason, "measured with one instance");
  EXPECT_EQ(made_up::value_of({two, with_instances(4, one)}, "fast-1 x2", "instances_gain_ratio").reason,
            "the cell with one instance was not measured here");
}

TEST(Ratios, ReferToTheBaselineWithAsManyInstancesIfThereIsOne) {
  const auto fast = with_instances(2, at_speeds("fast", kFast));
  const auto one = at_speeds("identity", kFast);
  const auto two = with_instances(2, at_speeds("identity", kSlow));
  EXPECT_NEAR(made_up::value_of({one, two, fast}, "fast-1 x2", "speed_up_ratio").value.value(), 1.102194824895, 1e-6);
  EXPECT_NEAR(made_up::value_of({one, fast}, "fast-1 x2", "speed_up_ratio").value.value(), 1, 1e-9);
}

TEST(Ratios, ReferToTheBaselineUnderTheSameLoad) {
  const std::vector<store::CellData> cells{at_speeds("identity", kFast), at_speeds("fast", kFast),
                                           under("cpu: 1", at_speeds("identity", kSlow)),
                                           under("cpu: 1", at_speeds("fast", kFast))};
  expect_value(made_up::value_of(cells, "fast-1 cpu: 1", "speed_up_ratio"), 1.102194824895, 1.067745197778,
               1.137755931427);
}

TEST(Ratios, CountOnlyTheRoundsThatHoldBoth) {
  // Rounds 0 and 1: ratios 1.2 and 64 / 51.
  auto fast = at_speeds("fast", {60.0, 64.0});
  expect_value(made_up::value_of({at_speeds("identity", {50.0, 51.0, 400.0}), fast}, "fast-1", "speed_up_ratio"),
               1.227143982156, 0.923557508094, 1.630523643350);
}

TEST(Ratios, HaveNoIntervalFromOneProcess) {
  const auto found =
      made_up::value_of({at_speeds("identity", {50.0}), at_speeds("fast", {75.0})}, "fast-1", "speed_up_ratio");
  EXPECT_NEAR(found.value.value(), 1.5, 1e-6);
  EXPECT_FALSE(found.low);
}

TEST(Ratios, ExcludeADriftThatBothSidesOfARoundShare) {
  // Both cells run 1, 2 and 4 times as fast in the three rounds, so the speed-up is 3 in each.
  expect_value(made_up::value_of({at_speeds("identity", {10.0, 20.0, 40.0}), at_speeds("fast", {30.0, 60.0, 120.0})},
                                 "fast-1", "speed_up_ratio"),
               3, 3, 3);
}

TEST(Ratios, OfDifferentBatchSizesTreatProcessesAsIndependent) {
  store::CellData single = at_speeds("fast", kSlow);
  store::CellData four = at_speeds("fast", kFast);
  four.of.model.key.batch = 4;
  four.cell_id = "fast-4";
  for (auto& process : four.processes) process.repetitions.back().wall_ns *= 4;
  const std::vector<store::CellData> cells{single, four};
  expect_value(made_up::value_of(cells, "fast-4", "rtr_ratio"), 1.102194824895, 1.064911334170, 1.140783643712);
  expect_value(made_up::value_of(cells, "fast-4", "ase_ratio"), 1.102194824895 / 4, 1.064911334170 / 4,
               1.140783643712 / 4);
}

TEST(Ratios, OfRatiosPairWithinEachBatchSize) {
  const std::vector<double> slow_single{95.0, 99.0, 97.0, 94.0, 96.0};
  const std::vector<double> fast_single{90.0, 99.0, 91.0, 93.0, 88.0};
  std::vector<store::CellData> cells{at_speeds("identity", slow_single), at_speeds("fast", fast_single),
                                     at_speeds("identity", kSlow), at_speeds("fast", kFast)};
  for (std::size_t i = 2; i < 4; ++i) {
    cells[i].of.model.key.batch = 4;
    cells[i].cell_id = cells[i].of.compiler.name + "-4";
    for (auto& process : cells[i].processes) process.repetitions.back().wall_ns *= 4;
  }
  expect_value(made_up::value_of(cells, "fast-4", "bsr_ratio"), 1.150766864782, 1.097812707305, 1.206275322073);
}

TEST(Ratios, GiveTheProcessorReductionAnIntervalWithLowBelowHigh) {
  auto identity = at_speeds("identity", {10.0, 10.0});
  auto fast = made_up::cell_of("fast", 1, {made_up::process(0, {50.0}, 1, 0.6), made_up::process(1, {50.0}, 1, 0.75)});
  for (auto& process : fast.processes) process.run_key = 1;
  const auto found = made_up::value_of({identity, fast}, "fast-1", "cpu_reduction_ratio");
  // Shares 0.4 and 0.5: the reduction is 1 - sqrt(0.2); t(0.975, 1 degree) = 12.706.
  EXPECT_NEAR(found.value.value(), 1 - std::sqrt(0.2), 1e-6);
  EXPECT_LT(found.low.value(), found.value.value());
  EXPECT_GT(found.high.value(), found.value.value());
  EXPECT_NEAR(found.high.value(), 1 - std::sqrt(0.2) * std::exp(-12.706204736 * std::log(1.25) / 2), 1e-6);
}

TEST(Ratios, DoNotDependOnCellsOfOtherModels) {
  std::vector<store::CellData> cells{at_speeds("identity", kSlow), at_speeds("fast", kFast)};
  for (int i = 0; i < 6; ++i) {
    cells.push_back(at_speeds("fast", kSlow));
    cells.back().of.model.key.hash = "model " + std::to_string(i);
    cells.back().cell_id = "cell " + std::to_string(i);
  }
  const auto all = made_up::values_of(cells);
  const auto few = made_up::values_of({cells[0], cells[1]});
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_EQ(all[i].value, few[i].value) << all[i].metric.str();
    EXPECT_EQ(all[i].high, few[i].high) << all[i].metric.str();
  }
}

// scipy: t interval of the same differences at 1 - 0.00916, the nominal rate of 13 looks.
TEST(Ratios, OfRoundsThatEndWhenTheyAreDecidedHaveTheIntervalOfOneLook) {
  auto identity = at_speeds("identity", kSlow);
  auto fast = at_speeds("fast", kFast);
  identity.rounds = fast.rounds = work::Rounds{.max = 15};
  expect_value(made_up::value_of({identity, fast}, "fast-1", "speed_up_ratio"), 1.102194824895, 1.0442522030688,
               1.1633525200658);
}

// One process of 10, 10 and 40 ms, the other of 5 ms: the first repetition of each counts.
TEST(Ratios, UseEquallyManyRepetitionsAlsoOfCellsThatHaveLeftThemBehind) {
  store::CellData a = made_up::cell_of("identity", 1, {made_up::process(0, {10, 10, 40})});
  store::CellData b = made_up::cell_of("fast", 1, {made_up::process(0, {5})});
  for (store::CellData* const cell : {&a, &b}) cell->processes[0].stop_reason = "repetitions";
  const Steady of_a = steady(a);
  const Steady of_b = steady(b);
  drop_details(a);
  drop_details(b);
  EXPECT_TRUE(a.processes[0].repetitions.empty());
  const LikeSpeeds speeds = like_speeds(of_a, of_b);
  ASSERT_EQ(speeds.a.size(), 1U);
  EXPECT_NEAR(speeds.a[0].value, 100, 1e-9);
  EXPECT_NEAR(speeds.b.at(0).value, 200, 1e-9);
  EXPECT_NEAR(of_a.throughput_by_process.at(0).value, 50, 1e-9) << "3 in 60 ms";
}

// Above 128 repetitions the speeds of each sixteenth more are kept: 128, 136, 144. Of 140 and 200 repetitions of 10 ms,
// in which the last ones of the second side take ten times as long, 136 of each count.
TEST(Ratios, UseEquallyManyOfManyRepetitionsWhetherOrNotTheyAreStillThere) {
  std::vector<double> late(200, 10);
  std::fill(late.begin() + 136, late.end(), 100);
  store::CellData a = made_up::cell_of("identity", 1, {made_up::process(0, std::vector<double>(140, 10))});
  store::CellData b = made_up::cell_of("fast", 1, {made_up::process(0, late)});
  for (store::CellData* const cell : {&a, &b}) cell->processes[0].stop_reason = "repetitions";
  const LikeSpeeds speeds = like_speeds(steady(a), steady(b));
  EXPECT_NEAR(speeds.a.at(0).value, 100, 1e-9);
  EXPECT_NEAR(speeds.b.at(0).value, 100, 1e-9);
}

// The identity has one repetition of 10 ms, the other compiler one of 5 ms and one of 1000 ms.
TEST(Ratios, AreOfEquallyManyRepetitionsIfTheirNumbersWereChosenByTime) {
  auto identity = made_up::cell_of("identity", 1, {made_up::process(0, {10}), made_up::process(1, {10})});
  auto fast = made_up::cell_of("fast", 1, {made_up::process(0, {5, 1000}), made_up::process(1, {5, 1000})});
  for (auto* cell : {&identity, &fast}) {
    for (auto& process : cell->processes) process.stop_reason = "repetitions";
  }
  const auto found = made_up::value_of({identity, fast}, "fast-1", "speed_up_ratio");
  EXPECT_NEAR(found.value.value_or(0), 2, 1e-12) << found.reason.str();
}

}  // namespace
}  // namespace ngb::metrics
