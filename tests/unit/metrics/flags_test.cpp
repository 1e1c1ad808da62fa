// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "made_up_cells.h"

namespace ngb::metrics {
namespace {

using made_up::cell_of;
using made_up::flags;
using made_up::process;
using store::CellData;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

CellData calm() {
  return cell_of("fast", 1, {process(0, {10, 10, 10, 10, 10, 10}), process(1, {10, 10, 10, 10, 10, 10})});
}

void tell(CellData& cell, int process, const std::string& quantity, const std::string& when, double value) {
  cell.processes[static_cast<std::size_t>(process)].readings.push_back({quantity, "", when, Known<double>::of(value)});
}

TEST(Flags, AreNotRaisedByACalmCell) { EXPECT_THAT(flags(calm()), IsEmpty()); }

// One of eight takes five times as long: the mean of the rates is 112.5 samples/s, by time it is 83.3.
TEST(Flags, AreRaisedByFewSlowRepetitionsThatTheQuartilesDoNotSee) {
  EXPECT_THAT(flags(cell_of("fast", 1, {process(0, {8, 8, 8, 8, 8, 8, 8, 40})})), ElementsAre("uneven"));
  // Of 100 one: 2 % more time.
  std::vector<double> times_ms(99, 10);
  times_ms.push_back(15);
  EXPECT_THAT(flags(cell_of("fast", 1, {process(0, times_ms)})), IsEmpty());
}

TEST(Flags, AreRaisedBySpread) {
  const auto with = [](const std::vector<double>& per_s) {
    std::vector<double> times_ms;
    for (const double each : per_s) times_ms.push_back(1e3 / each);
    CellData cell = cell_of("fast", 1, {process(0, times_ms)});
    tell(cell, 0, "later_inference", "after", 0.010);
    return flags(cell);
  };
  EXPECT_THAT(with({90, 100, 100, 111}), IsEmpty());           // quartiles 97.5 and 102.75: IQR / median 5 %
  EXPECT_THAT(with({79, 100, 100, 121}), Contains("spread"));  // 94.75 and 105.25: above 10 %
  EXPECT_THAT(with({40, 100, 100, 160}), ElementsAre("spread", "unstable", "uneven"));  // 85 and 115; 30 %
}

TEST(Flags, AreRaisedByFewRepetitionsAfterWhichNobodyLookedLonger) {
  CellData cell = cell_of("fast", 1, {process(0, {10, 10, 10, 10, 10, 10}), process(1, {10, 10, 10, 10, 10})});
  EXPECT_THAT(flags(cell), ElementsAre("few_repetitions"));
  tell(cell, 0, "later_inference", "after", 0.010);
  EXPECT_THAT(flags(cell), IsEmpty());
}

TEST(Flags, AreRaisedByAWaitThatTheStudyAllowsAndTheUsualLimitDoesNot) {
  CellData cell = calm();
  tell(cell, 0, "run_queue_wait", "timed", 5);
  EXPECT_THAT(flags(cell), IsEmpty());
  tell(cell, 1, "run_queue_wait", "timed", 92.9);
  EXPECT_THAT(flags(cell), ElementsAre("waited"));
  cell.of.load = "4 threads";
  EXPECT_THAT(flags(cell), IsEmpty()) << "the load causes it";
  tell(cell, 1, "other_cpu", "timed", 31);
  EXPECT_THAT(flags(cell), ElementsAre("waited"));
}

TEST(Flags, AreNotRaisedByAWaitOfItsOwn) {
  CellData cell = calm();  // of two threads
  tell(cell, 1, "run_queue_wait", "during", 60);
  tell(cell, 1, "run_queue_wait", "timed", 40);
  tell(cell, 1, "other_cpu", "timed", 9);  // others used up to 18 % of a thread's time
  EXPECT_THAT(flags(cell), ElementsAre("waited")) << "9 % are more than 5";
  cell.processes[1].readings.back().value = Known<double>::of(4);
  EXPECT_THAT(flags(cell), IsEmpty());
  cell.processes[1].readings.back().value = Known<double>::unknown("shorter than 20 ticks");
  EXPECT_THAT(flags(cell), ElementsAre("waited"));
  cell.processes[1].facts["waits_for_itself"] = "40 %";
  EXPECT_THAT(flags(cell), IsEmpty());
}

TEST(Flags, AreRaisedByTurnsThatRanAgain) {
  CellData cell = calm();  // of six turns in each of two processes
  for (auto& process : cell.processes) process.facts["turns"] = "20, with 1 other process";
  EXPECT_THAT(flags(cell), IsEmpty());
  cell.processes[1].facts["turns_again"] = "1";
  EXPECT_THAT(made_up::values_of({cell}).back().metric, "flag_turns_again");
  EXPECT_DOUBLE_EQ(made_up::values_of({cell}).back().value.value_or(0), 1.0 / 13);
}

TEST(Flags, AreRaisedByProcessesThatLoadedWhatAnotherOneHadCompiled) {
  CellData cell = calm();
  cell.processes[1].phases.front().phase = samples::Phase::load;
  EXPECT_THAT(flags(cell), ElementsAre("shared_compilation"));
}

TEST(Flags, AreRaisedByABaselineOfAnotherEnvironment) {
  CellData identity = calm();
  identity.cell_id = "identity-1";
  identity.of.compiler.name = identity.of.compiler.label = "identity";
  const auto is_raised = [&] {
    for (const store::DerivedValue& value : made_up::values_of({identity, calm()})) {
      if (value.cell_id == "fast-1" && value.metric == "flag_unlike_baseline") return true;
    }
    return false;
  };
  EXPECT_FALSE(is_raised());
  for (auto& process : identity.processes) process.environment_hash = "after a new kernel";
  EXPECT_TRUE(is_raised());
}

TEST(Flags, AreRaisedByStealAbove1PercentInTheTimedPhase) {
  CellData cell = calm();
  tell(cell, 1, "steal", "timed", 1.0);
  EXPECT_THAT(flags(cell), IsEmpty());
  tell(cell, 1, "steal", "timed", 1.1);
  EXPECT_THAT(flags(cell), ElementsAre("steal"));
}

TEST(Flags, AreRaisedByPressureAbove5Percent) {
  CellData cell = calm();
  tell(cell, 0, "pressure_cpu_some", "timed", 5.0);
  EXPECT_THAT(flags(cell), IsEmpty());
  tell(cell, 0, "pressure_cpu_some", "timed", 5.1);
  EXPECT_THAT(flags(cell), ElementsAre("pressure"));
}

TEST(Flags, AreRaisedByManyPageFaults) {
  CellData cell = calm();
  tell(cell, 0, "page_faults", "timed", 10'000);
  EXPECT_THAT(flags(cell), IsEmpty());
  tell(cell, 1, "page_faults", "timed", 10'001);
  EXPECT_THAT(flags(cell), ElementsAre("page_faults"));
}

TEST(Flags, AreRaisedByMoreThreadsThanTheStudyAllows) {
  CellData cell = calm();  // 2 threads
  cell.processes[0].threads_used = Known<int>::of(2);
  EXPECT_THAT(flags(cell), IsEmpty());
  cell.processes[1].threads_used = Known<int>::of(3);
  EXPECT_THAT(flags(cell), ElementsAre("extra_threads"));
}

TEST(Flags, AreRaisedByAClockBelow75PercentOfTheDevicesHighest) {
  CellData cell = calm();
  tell(cell, 0, "frequency", "start", 3.0e9);
  EXPECT_THAT(flags(cell), IsEmpty());
  CellData other = calm();
  other.cell_id = "other";
  tell(other, 0, "frequency", "end", 4.1e9);
  const auto values = made_up::values_of({cell, other});
  const auto raised = std::find_if(values.begin(), values.end(),
                                   [](const store::DerivedValue& value) { return value.metric == "flag_throttled"; });
  ASSERT_NE(raised, values.end());
  EXPECT_EQ(raised->cell_id, "fast-1");
  EXPECT_NEAR(raised->value.value(), 3.0 / 4.1, 1e-12);
}

TEST(Flags, AreRaisedByAGpusClockBelow75PercentAfterATimedPhaseOnTheGpu) {
  CellData cell = calm();
  for (const int process : {0, 1}) tell(cell, process, "gpu_max_frequency", "end", 1980e6);
  tell(cell, 0, "gpu_frequency", "start", 345e6);  // idle before
  tell(cell, 0, "gpu_frequency", "end", 1485e6);   // exactly 75 %
  cell.of.compute_device = Known<std::string>::of("gpu");
  EXPECT_THAT(flags(cell), IsEmpty());
  tell(cell, 1, "gpu_frequency", "end", 1484e6);
  EXPECT_THAT(flags(cell), ElementsAre("gpu_throttled"));
  cell.of.compute_device = Known<std::string>::of("cpu");
  EXPECT_THAT(flags(cell), IsEmpty());
}

TEST(Flags, AreRaisedByProcessesThatAreSetAside) {
  CellData cell = calm();
  cell.set_aside = {cell.processes[0], cell.processes[1]};
  for (auto& process : cell.set_aside) process.environment_hash = "elsewhere";
  EXPECT_THAT(flags(cell), ElementsAre("mixed_environment"));
  for (auto& process : cell.set_aside) process.made_with.worker_sha256 = "another";
  EXPECT_THAT(flags(cell), ElementsAre("mixed_build"));
  cell.set_aside[1].made_with = {};
  EXPECT_THAT(flags(cell), ElementsAre("mixed_build", "mixed_environment"));
}

// The outputs are those of log(x - 10), which is NaN for every x of the inputs.
TEST(Flags, AreRaisedByOutputsThatAreNotFinite) {
  CellData cell = calm();
  cell.processes[1].check->compared_elements = 1000;
  cell.processes[1].check->finite_elements = 501;
  EXPECT_THAT(flags(cell), ElementsAre());
  cell.processes[1].check->finite_elements = 500;  // one of two samples
  EXPECT_THAT(flags(cell), ElementsAre("not_finite"));
  cell.processes[1].check->compared_elements = 0;
  cell.processes[1].check->finite_elements = 0;
  EXPECT_THAT(flags(cell), ElementsAre("not_finite"));
}

TEST(Flags, AreRaisedByACompilerThatEmulatesOperators) {
  CellData cell = calm();
  cell.processes[0].facts["emulated"] = "Loop 1 of 57 nodes";
  EXPECT_THAT(flags(cell), ElementsAre("emulated"));
}

TEST(Flags, AreRaisedByACompilerThatMakesUpItsTimes) {
  CellData cell = calm();
  cell.processes[1].facts["made_up_ns"] = "1000000";
  EXPECT_THAT(flags(cell), ElementsAre("made_up"));
}

// A compiler that returns zeros would be right for 900 of 1000 outputs.
TEST(Flags, AreRaisedByAReferenceThatIsAsGoodAsZero) {
  CellData cell = calm();
  cell.processes[1].check->compared_elements = 1000;
  cell.processes[1].check->finite_elements = 1000;
  cell.processes[1].check->small_elements = 899;
  EXPECT_THAT(flags(cell), ElementsAre());
  cell.processes[1].check->small_elements = 900;
  EXPECT_THAT(flags(cell), ElementsAre("weak_check"));
}

// Eight readings; from the first two to the last two, memory grows by 24 MiB.
TEST(Flags, AreRaisedByMemoryThatGrowsThroughoutTheTimedPhase) {
  constexpr double kMiB = 1 << 20U;
  const auto with_memory = [](std::vector<double> mib) {
    CellData cell = calm();
    for (const double each : mib) {
      cell.processes[0].readings.push_back({"memory", "byte", "during", Known<double>::of(each * kMiB)});
    }
    return cell;
  };
  EXPECT_THAT(flags(with_memory({100, 100, 108, 108, 116, 116, 124, 124})), ElementsAre("growing_memory"));
  EXPECT_THAT(flags(with_memory({100, 124, 124, 124, 124, 124, 124, 124})), ElementsAre());  // at its beginning only
  EXPECT_THAT(flags(with_memory({100, 100, 103, 103, 106, 106, 109, 109})), ElementsAre());  // 9 MiB
}

// Of a timed phase that is too short for eight readings, the highest memory of the phases counts.
TEST(Flags, AreRaisedByMemoryThatGrowsFromTheFirstInferenceToTheLast) {
  const auto with_peaks = [](std::uint64_t check, std::uint64_t warm_up, std::uint64_t timed) {
    CellData cell = calm();
    auto& phases = cell.processes[0].phases;
    std::erase_if(phases, [](const auto& use) { return use.phase >= samples::Phase::check; });
    const auto add = [&](samples::Phase phase, std::uint64_t mib) {
      phases.push_back({.phase = phase, .peak_rss_bytes = Known<std::uint64_t>::of(mib << 20U)});
    };
    add(samples::Phase::check, check);
    add(samples::Phase::warm_up, warm_up);
    add(samples::Phase::timed, timed);
    tell(cell, 0, "inferences", "timed", 20);
    return flags(cell);
  };
  EXPECT_THAT(with_peaks(100, 110, 140), ElementsAre("growing_memory"));
  EXPECT_THAT(with_peaks(100, 140, 140), ElementsAre());  // what the first inferences needed
  EXPECT_THAT(with_peaks(100, 100, 140), ElementsAre());
  EXPECT_THAT(with_peaks(100, 140, 150), ElementsAre());     // 10 MiB
  EXPECT_THAT(with_peaks(1000, 1010, 1040), ElementsAre());  // 3 %
}

// Repetitions of 9 to 12 ms, in the middle 10 ms: 11.9 ms are within them, 12.1 ms are 17 % slower than most and slower
// than all, 8.9 ms are 12 % faster.
TEST(Flags, AreRaisedByASpeedThatChangesAfterTheCountedRepetitions) {
  const auto later = [](double seconds) {
    CellData cell = cell_of("fast", 1, {process(0, {9, 10, 10, 10, 10, 12}), process(1, {9, 10, 10, 10, 10, 12})});
    tell(cell, 0, "later_inference", "after", seconds);
    return flags(cell);
  };
  EXPECT_THAT(later(0.0121), ElementsAre("speed_changes"));
  EXPECT_THAT(later(0.0119), IsEmpty());
  EXPECT_THAT(later(0.0089), ElementsAre("speed_changes"));
  CellData calm_cell = calm();
  tell(calm_cell, 0, "later_inference", "after", 0.0105);  // outside of all, by less than 10 %
  EXPECT_THAT(flags(calm_cell), IsEmpty());
}

TEST(Flags, CompareALaterSpeedInTurnsWithThatOfThePhaseAlone) {
  const auto later = [](double alone, double seconds) {
    CellData cell = calm();
    tell(cell, 0, "alone_inference", "alone", alone);
    tell(cell, 0, "later_inference", "after", seconds);
    return flags(cell);
  };
  EXPECT_THAT(later(0.0120, 0.0125), IsEmpty()) << "slower than every repetition in turns, but no slower than before";
  EXPECT_THAT(later(0.0100, 0.0125), ElementsAre("speed_changes"));
}

TEST(Flags, AreRaisedBySubnormalNumbersThatCostTime) {
  const auto with = [](double usual, double flushed) {
    CellData cell = calm();
    tell(cell, 0, "later_inference", "after", usual);
    tell(cell, 0, "flushed_inference", "after", flushed);
    return flags(cell);
  };
  EXPECT_THAT(with(0.010, 0.0079), ElementsAre("subnormal"));
  EXPECT_THAT(with(0.010, 0.0081), IsEmpty());
}

TEST(Flags, AreRaisedByOutputsThatChangeAndByAnotherReference) {
  CellData cell = calm();
  cell.processes[1].check->output_change = "output \"y\" is 1 at [0], the reference is 2";
  EXPECT_THAT(flags(cell), ElementsAre("outputs_change"));
  cell = calm();
  cell.processes[1].check->reference_reason = "identity 2.15.0 could not make its outputs";
  EXPECT_THAT(flags(cell), ElementsAre("other_reference"));
  cell.processes[1].check->reference = "none";
  EXPECT_THAT(flags(cell), ElementsAre("unchecked"));
}

TEST(Flags, AreRaisedByUncheckedOutputs) {
  CellData cell = calm();
  cell.processes[1].check.reset();
  EXPECT_THAT(flags(cell), ElementsAre("unchecked"));
  cell = calm();
  cell.processes[0].check->reference = "none";
  EXPECT_THAT(flags(cell), ElementsAre("unchecked"));
}

TEST(Flags, AreRaisedByMissingProcesses) {
  CellData cell = calm();
  cell.planned_processes = 5;
  EXPECT_THAT(flags(cell), ElementsAre("incomplete"));
}

TEST(Flags, AreRaisedByProcessesThatWereNotSteady) {
  CellData cell = calm();
  cell.processes[0].is_steady = false;
  EXPECT_THAT(flags(cell), ElementsAre("not_steady"));
}

TEST(Flags, AreNotRaisedByAFailedCell) {
  CellData cell = calm();
  cell.failed = {made_up::failure(2, samples::FailureKind::inaccurate)};
  EXPECT_THAT(flags(cell), IsEmpty());
}

TEST(Flags, TreatAnUnknownReadingAsUnknown) {
  CellData cell = calm();
  cell.processes[0].readings.push_back({"steal", "percent", "timed", Known<double>::unknown("no /proc")});
  EXPECT_THAT(flags(cell), Not(Contains("steal")));
}

}  // namespace
}  // namespace ngb::metrics
