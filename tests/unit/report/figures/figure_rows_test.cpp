// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "made_up_results.h"

namespace ngb::report::figures {
namespace {

using made_up::cell_that_failed;
using made_up::cell_with;
using made_up::figure_called;
using made_up::Of;
using made_up::ResultsOf;
using made_up::row_of;
using made_up::rows_of;
using samples::FailureKind;
using store::CellData;
using testing::HasSubstr;

// Three processes of exactly this speed: intervals have no width.
std::vector<double> always(double speed) { return {speed, speed, speed}; }

CellData of_group(CellData cell, const std::string& group, const std::string& style = {}) {
  cell.of.model.group = group;
  cell.of.model.style = style;
  return cell;
}

CellData block(const std::string& compiler, int width, int depth, int batch, double speed) {
  Of of{.model = fmt::format("conv {} {}", width, depth), .compiler = compiler, .batch = batch};
  of.family = "conv_block";
  of.parameters = fmt::format(R"({{"depth":{},"width":{}}})", depth, width);
  return cell_with(of, always(speed));
}

// Returns the number in that column of the compiler's only row.
double number_in(const std::vector<Row>& rows, const std::string& compiler, const char* column) {
  const Row row = row_of(rows, compiler);
  return row.is_object() && row.at(column).is_number() ? row.at(column).get<double>() : -1;
}

TEST(FigureOfThroughput, HasTheSpeedOfEachCellWithItsInterval) {
  const ResultsOf results({cell_with({.batch = 4}, {100, 110, 121})});
  const auto rows = rows_of(results, "throughput_by_batch");
  ASSERT_EQ(rows.size(), 1U);
  const Row& row = rows.front();
  EXPECT_EQ(row.at("panel"), "resnet18");
  EXPECT_EQ(row.at("batch"), 4);
  EXPECT_EQ(row.at("compiler"), "PyTorch eager (identity 1.0)");
  EXPECT_EQ(row.at("state"), "measured");
  EXPECT_NEAR(row.at("throughput_per_s").get<double>(), 110, 1e-3);
  // Student's t of 2 degrees of freedom is 4.3027; the standard error of the logarithm is ln 1.1 / sqrt 3.
  const double factor = std::exp(4.302653 * std::log(1.1) / std::sqrt(3));
  EXPECT_NEAR(row.at("low").get<double>(), 110 / factor, 0.01);
  EXPECT_NEAR(row.at("high").get<double>(), 110 * factor, 0.01);
}

TEST(FigureOfThroughput, HasARowForACellWithoutASpeedWithItsReason) {
  CellData planned = cell_with({.compiler = "planned"}, {});
  planned.planned_processes = 1;
  const ResultsOf results({cell_with({}, always(100)), cell_that_failed({.compiler = "crashed"}, FailureKind::crash),
                           cell_that_failed({.compiler = "wrong"}, FailureKind::inaccurate),
                           cell_that_failed({.compiler = "noisy"}, FailureKind::disturbed), planned});
  const auto rows = rows_of(results, "throughput_by_batch");
  ASSERT_EQ(rows.size(), 5U);
  for (const auto& [compiler, state] : {std::pair("crashed", "failed"), std::pair("wrong", "inaccurate"),
                                        std::pair("noisy", "disturbed"), std::pair("planned", "planned")}) {
    const Row row = row_of(rows, std::string(compiler) + " 1.0");
    EXPECT_EQ(row.at("state"), state);
    EXPECT_TRUE(row.at("throughput_per_s").is_null()) << compiler;
    EXPECT_NE(row.at("reason"), "") << compiler;
  }
  EXPECT_THAT(row_of(rows, "crashed 1.0").at("reason").get<std::string>(), HasSubstr("crash in check"));
}

TEST(FigureOfThroughput, IsLeftOutIfNoCellHasASpeed) {
  const ResultsOf results({cell_that_failed({.compiler = "crashed"}, FailureKind::crash)});
  const Rows made = make_rows(figure_called("throughput_by_batch"), results.selection());
  EXPECT_TRUE(made.rows.empty());
  EXPECT_EQ(made.why_none, "no cell has a speed");
}

TEST(FigureOfThroughput, CallsACompilerTheSameBeforeAndAfterItIsMeasured) {
  CellData measured = cell_with({}, always(100));
  measured.of.compiler.threads_asked = "all";
  CellData planned = cell_with({.batch = 4}, {});
  planned.planned_processes = 1;
  planned.of.compiler.threads_asked = "all";
  planned.of.threads.reset();
  CellData single = cell_with({.model = "other"}, always(100));
  single.of.threads = 1;
  const ResultsOf same({measured, planned});
  EXPECT_EQ(same.selection().compilers(), std::vector<std::string>{"PyTorch eager (identity 1.0)"});
  const ResultsOf several({measured, planned, single});
  EXPECT_EQ(several.selection().compilers(), (std::vector<std::string>{"PyTorch eager (identity 1.0), all threads",
                                                                       "PyTorch eager (identity 1.0), 1 thread"}));
}

TEST(FiguresOfBatching, RelateEachCellToTheSameCompilerAtBatchOne) {
  const ResultsOf results({cell_with({.batch = 1}, always(100)), cell_with({.batch = 4}, always(300))});
  const auto ase = rows_of(results, "ase_by_batch");
  ASSERT_EQ(ase.size(), 1U) << "batch 1 is 1 by definition";
  EXPECT_NEAR(number_in(ase, "PyTorch eager (identity 1.0)", "ase_ratio"), 0.75, 1e-6);
}

TEST(FiguresOfGroups, HaveTheGeometricMeanOfEachGroup) {
  const ResultsOf results({of_group(cell_with({.model = "a"}, always(100)), "Nets"),
                           of_group(cell_with({.model = "a", .compiler = "fast"}, always(200)), "Nets"),
                           of_group(cell_with({.model = "b"}, always(100)), "Nets"),
                           of_group(cell_with({.model = "b", .compiler = "fast"}, always(800)), "Nets")});
  const auto rows = rows_of(results, "speed_up_by_model_group");
  ASSERT_EQ(rows.size(), 1U) << "the baseline has no speed-up over itself";
  EXPECT_EQ(rows.front().at("column"), "Nets");
  EXPECT_EQ(rows.front().at("models"), 2);
  EXPECT_NEAR(number_in(rows, "fast 1.0", "model_group_batch_speed_up_ratio"), 4, 1e-6);
}

TEST(FiguresOfGroups, NameTheCellBecauseOfWhichAGroupHasNoNumber) {
  const ResultsOf results({of_group(cell_with({.model = "a"}, always(100)), "Nets"),
                           of_group(cell_with({.model = "a", .compiler = "fast"}, always(200)), "Nets"),
                           of_group(cell_with({.model = "b"}, always(100)), "Nets"),
                           of_group(cell_that_failed({.model = "b", .compiler = "fast"}, FailureKind::crash), "Nets"),
                           of_group(cell_with({.model = "a", .compiler = "other"}, always(200)), "Nets"),
                           of_group(cell_with({.model = "b", .compiler = "other"}, always(200)), "Nets")});
  const auto rows = rows_of(results, "speed_up_by_model_group");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(row_of(rows, "fast 1.0").at("state"), "failed");
  EXPECT_TRUE(row_of(rows, "fast 1.0").at("model_group_batch_speed_up_ratio").is_null());
  EXPECT_NE(row_of(rows, "fast 1.0").at("reason"), "");
}

store::SeriesValue series_value(const std::string& series, const std::string& subject, const std::string& cell,
                                double value, std::optional<double> low = {}, std::optional<double> high = {}) {
  return {.series = series,
          .device = "local",
          .compiler = "identity 1.0",
          .subject = subject,
          .batch_sizes = "1",
          .value = value,
          .low = low,
          .high = high,
          .cell_ids = {cell}};
}

TEST(FiguresOfGroups, OfStylesHaveTheMeanOfTheirModelsWithItsInterval) {
  const ResultsOf results({of_group(cell_with({.model = "a"}, always(100)), "A", "convolutional")},
                          {series_value("style_batch_speed_up_ratio", "convolutional", "local/a/identity/1", 2, 1, 4)});
  const auto rows = rows_of(results, "speed_up_by_style");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.front().at("column"), "convolutional");
  EXPECT_EQ(rows.front().at("batch"), 1);
  EXPECT_EQ(rows.front().at("style_batch_speed_up_ratio"), 2.0);
  EXPECT_EQ(rows.front().at("low"), 1.0);
  EXPECT_EQ(rows.front().at("high"), 4.0);
}

TEST(FigureOfTheProcessor, HasTheDeviationBetweenProcessesAsItsInterval) {
  const ResultsOf results({of_group(cell_with({.model = "a"}, always(100)), "A")},
                          {series_value("model_group_batch_cpu_percent", "A", "local/a/identity/1", 50),
                           series_value("model_group_batch_cpu_std_percent", "A", "local/a/identity/1", 5)});
  const auto rows = rows_of(results, "cpu_use");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(number_in(rows, "PyTorch eager (identity 1.0)", "percent"), 50);
  EXPECT_EQ(number_in(rows, "PyTorch eager (identity 1.0)", "low"), 45);
  EXPECT_EQ(number_in(rows, "PyTorch eager (identity 1.0)", "high"), 55);
}

TEST(FigureOfTheProcessor, OfReliefIsAboveZeroWhereTheProcessorIsLessBusy) {
  CellData calm = of_group(cell_with({.compiler = "calm"}, always(100)), "A");
  for (store::RecordedProcess& process : calm.processes) {
    process.phases.back().cpu_ns = Known<std::int64_t>::of(*process.phases.back().cpu_ns.value / 2);
  }
  const ResultsOf results({of_group(cell_with({}, always(100)), "A"), calm});
  EXPECT_NEAR(rows_of(results, "cpu_use").back().at("percent").get<double>(), 50, 1e-6) << "the reduction";
}

TEST(FiguresOfDepth, HaveTheSpeedUpOfEachStackInTheOrderOfWidthAndDepth) {
  const ResultsOf results({block("identity", 96, 1, 8, 100), block("fast", 96, 1, 8, 300),
                           block("identity", 64, 2, 8, 100), block("fast", 64, 2, 8, 150),
                           block("identity", 64, 1, 8, 100), block("fast", 64, 1, 8, 200)});
  const auto rows = rows_of(results, "speed_up_by_depth");
  ASSERT_EQ(rows.size(), 3U) << "the baseline has no curve";
  std::vector<std::array<double, 3>> found;
  for (const Row& row : rows) {
    found.push_back({row.at("width").get<double>(), row.at("depth").get<double>(),
                     std::round(row.at("speed_up_ratio").get<double>() * 1e6) / 1e6});
  }
  EXPECT_THAT(found,
              testing::ElementsAre(std::array{64.0, 1.0, 2.0}, std::array{64.0, 2.0, 1.5}, std::array{96.0, 1.0, 3.0}));
  EXPECT_EQ(rows.front().at("panel"), "batch 8");
  EXPECT_EQ(rows.front().at("block"), "conv_block width=64");
}

TEST(FigureOfFriction, HasTheGainOfBatchingInWideBlocksOverThatInNarrowOnes) {
  const ResultsOf results({block("fast", 64, 2, 1, 100), block("fast", 64, 2, 8, 400), block("fast", 256, 2, 1, 100),
                           block("fast", 256, 2, 8, 150)});
  const auto rows = rows_of(results, "batch_width_friction");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(number_in(rows, "fast 1.0", "batch_width_friction_ratio"), 1.5 / 4, 1e-6);
  EXPECT_EQ(rows.front().at("narrow_width"), 64);
  EXPECT_EQ(rows.front().at("width"), 256);
  EXPECT_EQ(rows.front().at("depth"), 2);
  EXPECT_EQ(rows.front().at("batch"), 8);
}

TEST(FigureOfFriction, IsACurveOverWidths) {
  std::vector<CellData> cells;
  for (const auto& [width, gain] : {std::pair{64, 4.0}, {128, 2.0}, {256, 1.0}}) {
    cells.push_back(block("fast", width, 2, 1, 100));
    cells.push_back(block("fast", width, 2, 8, 100 * gain));
  }
  const auto rows = rows_of(ResultsOf(cells), "batch_width_friction");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("panel"), rows[1].at("panel"));
  EXPECT_EQ(rows[0].at("width"), 128);
  EXPECT_NEAR(rows[0].at("batch_width_friction_ratio").get<double>(), 0.5, 1e-6);
  EXPECT_EQ(rows[1].at("width"), 256);
  EXPECT_NEAR(rows[1].at("batch_width_friction_ratio").get<double>(), 0.25, 1e-6);
}

// 100 samples/s, each 900 bytes smaller.
TEST(FigureOfTcr, HasTheBitsThatCompressingSavesOfModelsWithBothSizes) {
  CellData cell = cell_with({}, always(100));
  cell.of.model.raw_bytes = 1000;
  cell.of.model.encoded_bytes = 100;
  const ResultsOf results({cell, cell_with({.model = "other"}, always(100))});
  const auto rows = rows_of(results, "tcr_by_model");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows.front().at("tcr_bits_per_s").get<double>(), 720'000, 1);
  EXPECT_EQ(rows.front().at("panel"), "batch 1");
}

TEST(FigureOfCompileTime, ReachesFromTheFastestToTheSlowestProcess) {
  CellData cell = cell_with({}, always(100));
  cell.processes[2].phases.front().wall_ns = 3'000'000'000;
  const ResultsOf results({cell});
  const auto rows = rows_of(results, "compile_time");
  EXPECT_EQ(number_in(rows, "PyTorch eager (identity 1.0)", "compile_total_s"), 2) << "the median of 2, 2 and 3 s";
  EXPECT_EQ(number_in(rows, "PyTorch eager (identity 1.0)", "low"), 2);
  EXPECT_EQ(number_in(rows, "PyTorch eager (identity 1.0)", "high"), 3);
  EXPECT_EQ(rows.front().at("panel"), "batch 1");
}

// Identity: 100 inferences/s after 2 s. The other: 200 inferences/s after 12 s.
std::vector<CellData> slow_to_compile() {
  CellData other = cell_with({.compiler = "fast"}, always(200));
  for (store::RecordedProcess& process : other.processes) process.phases.front().wall_ns = 12'000'000'000;
  return {cell_with({}, always(100)), other};
}

TEST(FigureOfBreakEven, HasTheInferencesAfterWhichCompilingPays) {
  const ResultsOf results(slow_to_compile());
  const auto rows = rows_of(results, "break_even");
  ASSERT_EQ(rows.size(), 1U) << "the baseline has no break-even";
  EXPECT_NEAR(number_in(rows, "fast 1.0", "break_even_inferences"), 10 / (0.01 - 0.005), 1e-3);
}

TEST(FigureOfBreakEven, SaysWhyCompilingDoesNotPay) {
  std::vector<CellData> cells = slow_to_compile();
  cells.push_back(cell_with({.compiler = "slow"}, always(50)));
  const ResultsOf results(cells);
  const Row row = row_of(rows_of(results, "break_even"), "slow 1.0");
  EXPECT_EQ(row.at("state"), "no_value");
  EXPECT_EQ(row.at("reason"), "not faster than the baseline: compiling never pays");
}

TEST(FigureOfBreakEven, LeavesOutModelsForWhichCompilingNeverPays) {
  std::vector<CellData> cells = slow_to_compile();
  cells.push_back(cell_with({.model = "other"}, always(100)));
  cells.push_back(cell_with({.model = "other", .compiler = "fast"}, always(50)));
  const ResultsOf results(cells);
  const Rows made = make_rows(figure_called("break_even"), results.selection());
  ASSERT_EQ(made.rows.size(), 1U);
  EXPECT_EQ(made.rows[0].at("panel"), "resnet18");
  EXPECT_EQ(made.remark, "1 of 2 models are left out: compiling is told to pay for none of their cells");
}

// As slow_to_compile, with processes that differ by 1 %; a third one is twice as fast as the second.
TEST(FiguresOfCost, MarkTheCellsThatNoOtherDominates) {
  std::vector<CellData> cells{cell_with({}, {99, 100, 101}), cell_with({.compiler = "fast"}, {202, 200, 198}),
                              cell_with({.compiler = "best"}, {396, 400, 404})};
  for (store::RecordedProcess& process : cells[1].processes) process.phases.front().wall_ns = 12'000'000'000;
  const ResultsOf results(cells);
  const auto rows = rows_of(results, "pareto_compile");
  EXPECT_EQ(row_of(rows, "best 1.0").at("on_front"), "yes");
  EXPECT_EQ(row_of(rows, "fast 1.0").at("on_front"), "no") << "slower and longer to compile than the best";
  EXPECT_EQ(row_of(rows, "PyTorch eager (identity 1.0)").at("on_front"), "no") << "slower, and compiles no faster";
  EXPECT_NEAR(number_in(rows, "fast 1.0", "ratio_to_best"), 0.5, 1e-6);
  EXPECT_EQ(number_in(rows, "fast 1.0", "compile_total_s"), 12);
  const auto cpu = rows_of(results, "pareto_cpu");
  EXPECT_EQ(row_of(cpu, "best 1.0").at("on_front"), "yes");
  EXPECT_EQ(row_of(cpu, "fast 1.0").at("on_front"), "no") << "all keep the processor as busy";
}

// Processors kept busy: 1.5 by all but "idle", which keeps 1 busy. "slow" is dominated by both others.
TEST(FigureOfCpu, HasOnItsFrontWhatIsNeitherSlowerNorBusierThanAnother) {
  CellData idle = cell_with({.compiler = "idle"}, made_up::around(150));
  for (store::RecordedProcess& process : idle.processes) {
    samples::PhaseUse& timed = process.phases.back();
    timed.cpu_ns = Known<std::int64_t>::of(timed.wall_ns);
  }
  const ResultsOf results({cell_with({.compiler = "slow"}, made_up::around(100)),
                           cell_with({.compiler = "fast"}, made_up::around(200)), idle});
  const auto cpu = rows_of(results, "pareto_cpu");
  EXPECT_EQ(row_of(cpu, "fast 1.0").at("on_front"), "yes");
  EXPECT_EQ(row_of(cpu, "idle 1.0").at("on_front"), "yes") << "slower, but less busy";
  EXPECT_EQ(row_of(cpu, "slow 1.0").at("on_front"), "no");
}

TEST(FigureOfTheBest, RelatesEachCellToTheFastestOfItsWorkload) {
  const ResultsOf results({cell_with({}, always(100)), cell_with({.compiler = "fast"}, always(200)),
                           cell_that_failed({.compiler = "crashed"}, FailureKind::crash),
                           cell_with({.model = "other"}, always(50))});
  const auto rows = rows_of(results, "ratio_to_best");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_NEAR(rows[0].at("ratio_to_best").get<double>(), 0.5, 1e-9);
  EXPECT_EQ(rows[1].at("ratio_to_best"), 1.0);
  EXPECT_EQ(rows[2].at("state"), "failed");
  EXPECT_EQ(rows[3].at("ratio_to_best"), 1.0) << "it is alone";
}

// Expected: scipy's ttest_rel, as in tests/unit/metrics/ratios_test.cpp.
TEST(FigureOfTheBest, HasTheIntervalOfTheRoundsThatBothCellsShare) {
  const ResultsOf results({cell_with({}, {100.0, 104.0, 98.0, 101.0, 97.0}),
                           cell_with({.compiler = "fast"}, {110.0, 113.0, 109.0, 108.0, 111.0})});
  const auto rows = rows_of(results, "ratio_to_best");
  EXPECT_NEAR(rows[0].at("ratio_to_best").get<double>(), 1 / 1.102194824895, 1e-6);
  EXPECT_NEAR(rows[0].at("low").get<double>(), 1 / 1.137755931427, 1e-6);
  EXPECT_NEAR(rows[0].at("high").get<double>(), 1 / 1.067745197778, 1e-6);
}

TEST(FigureOfTheBest, HasNoRatioOfASpeedThatIsPerhapsOfAnotherComputation) {
  CellData unchecked = cell_with({.compiler = "unchecked"}, always(400));
  unchecked.processes[0].check->reference = "none";
  unchecked.processes[0].check->reference_reason = "no reference";
  const ResultsOf results({cell_with({}, always(100)), cell_with({.compiler = "fast"}, always(200)), unchecked});
  const auto rows = rows_of(results, "ratio_to_best");
  EXPECT_NEAR(rows[0].at("ratio_to_best").get<double>(), 0.5, 1e-9) << "the fastest that is compared is the best";
  EXPECT_EQ(rows[2].at("state"), "no_value");
  EXPECT_EQ(rows[2].at("reason"), "unchecked: no reference");
}

TEST(FigureOfTheBest, IsLeftOutIfNothingIsCompared) {
  const ResultsOf results({cell_with({}, always(100))});
  EXPECT_EQ(make_rows(figure_called("ratio_to_best"), results.selection()).why_none,
            "no workload has two cells with a speed");
}

}  // namespace
}  // namespace ngb::report::figures
