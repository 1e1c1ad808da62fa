// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "made_up_series.h"

namespace ngb::metrics {
namespace {

using made_up::cell_with;
using made_up::value_of;
using store::CellData;

// The identity compiles in 2 s, the other compiler in `compile_s`.
std::vector<CellData> two_compilers(double compile_s, const std::vector<double>& speeds) {
  std::vector<CellData> cells{cell_with({}, {100, 104, 98, 101, 97}), cell_with({.compiler = "fast"}, speeds)};
  for (store::RecordedProcess& process : cells[1].processes) process.phases[0].wall_ns = std::llround(compile_s * 1e9);
  return cells;
}
const std::string kFastCompiler = "local/resnet18/fast/1";

// Expected: scipy 1.17.1: 30 s / (t · (1 - 1 / S)) at the speed-up S of ttest_1samp on log ratios and at its ends.
TEST(BreakEven, IsWhatCompilingCostsOverWhatAnInferenceGains) {
  const auto value = value_of(two_compilers(32, {250, 255, 248, 252, 249}), kFastCompiler, "break_even_inferences");
  EXPECT_NEAR(value.value.value(), 4987.0777386313175, 0.01);
  EXPECT_NEAR(value.low.value(), 4918.588213826359, 0.01);
  EXPECT_NEAR(value.high.value(), 5059.034526632916, 0.01);
}

TEST(BreakEven, IsZeroIfCompilingTakesNoLonger) {
  EXPECT_EQ(value_of(two_compilers(1, {250, 255, 248, 252, 249}), kFastCompiler, "break_even_inferences").value, 0);
}

TEST(BreakEven, IsUnknownUnlessTheCompilerIsToldToBeFaster) {
  const auto reason = [](const std::vector<double>& speeds) {
    return value_of(two_compilers(32, speeds), kFastCompiler, "break_even_inferences").reason;
  };
  EXPECT_EQ(reason({50, 51, 50, 52, 50}), "not faster than the baseline: compiling never pays");
  EXPECT_EQ(reason({150, 51, 140, 92, 150}), "not told apart from the baseline");
  EXPECT_EQ(reason({250}), "not told apart from the baseline") << "one process says nothing about the next";
  EXPECT_EQ(value_of(two_compilers(32, {250, 255}), "local/resnet18/identity/1", "break_even_inferences").reason,
            "it is the baseline");
}

TEST(CompileTotal, AddsTuningWhereThereWasSome) {
  std::vector<CellData> cells = two_compilers(5, {250, 255});
  EXPECT_DOUBLE_EQ(value_of(cells, kFastCompiler, "compile_total_s").value.value(), 5);
  cells[1].processes[0].facts = {{"tuning_seconds", "60"}, {"tuning_seconds_here", "0"}};
  EXPECT_DOUBLE_EQ(value_of(cells, kFastCompiler, "compile_total_s").value.value(), 65);
}

TEST(CpuShare, HasADeviationOverProcesses) {
  const CellData cell = made_up::cell_of(
      "fast", 1,
      {made_up::process(0, {10}, 1, 1.5), made_up::process(1, {10}, 1, 2), made_up::process(2, {10}, 1, 2.5)});
  EXPECT_NEAR(value_of({cell}, "fast-1", "cpu_percent").value.value(), 25, 1e-9);  // of 8 processors
  EXPECT_NEAR(value_of({cell}, "fast-1", "cpu_std_percent").value.value(), 6.25, 1e-9);
}

TEST(GpuUse, IsTheMeanOverProcessesOrTheReason) {
  CellData cell = cell_with({}, {100, 100});
  EXPECT_EQ(value_of({cell}, cell.cell_id, "gpu_percent").reason, "no process recorded the use of a GPU");
  for (const double percent : {40.0, 60.0}) {
    cell.processes[percent < 50 ? 0 : 1].readings = {{"gpu_utilisation", "percent", "start", Known<double>::of(1)},
                                                     {"gpu_utilisation", "percent", "end", Known<double>::of(percent)}};
  }
  EXPECT_DOUBLE_EQ(value_of({cell}, cell.cell_id, "gpu_percent").value.value(), 50);
}

TEST(LeavingPython, AndOptimisingTheGraphMultiplyToTheSpeedUp) {
  const std::vector<CellData> cells{cell_with({}, {100, 100}), cell_with({.compiler = "eager-cpp"}, {120, 120}),
                                    cell_with({.compiler = "fast"}, {300, 300})};
  EXPECT_NEAR(value_of(cells, kFastCompiler, "leaving_python_ratio").value.value(), 1.2, 1e-6);
  EXPECT_NEAR(value_of(cells, kFastCompiler, "optimising_graph_ratio").value.value(), 2.5, 1e-6);
  EXPECT_NEAR(value_of(cells, kFastCompiler, "speed_up_ratio").value.value(), 3, 1e-6);
  EXPECT_EQ(value_of({cells[0], cells[2]}, kFastCompiler, "leaving_python_ratio").reason,
            "eager-cpp was not measured here");
}

}  // namespace
}  // namespace ngb::metrics
