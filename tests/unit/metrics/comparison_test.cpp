// SPDX-License-Identifier: Apache-2.0
#include "metrics/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "made_up_cells.h"
#include "metrics/phases.h"

namespace ngb::metrics {
namespace {

using store::CellData;

// Returns a cell with five rounds of these speeds times `factor`.
CellData measured(const std::string& compiler, double factor, const std::string& version = "1.0") {
  std::vector<store::RecordedProcess> processes;
  for (const double speed : {100.0, 104.0, 98.0, 101.0, 97.0}) {
    processes.push_back(made_up::process(static_cast<int>(processes.size()), {1e3 / (speed * factor)}));
  }
  CellData cell = made_up::cell_of(compiler, 1, processes);
  cell.of.compiler.version = version;
  cell.cell_id += version;
  return cell;
}

CellData failed(const std::string& compiler, samples::FailureKind kind = samples::FailureKind::crash) {
  CellData cell = made_up::cell(compiler, 1);
  cell.failed = {made_up::failure(0, kind)};
  return cell;
}

Side side(const std::vector<CellData>& cells, const void* origin = nullptr) {
  Side made{.origin = origin};
  for (const CellData& cell : cells) made.cells.push_back(&cell);
  return made;
}

TEST(Comparison, OfTwoResultsPairsEqualCellsAsIndependentProcesses) {
  const std::vector<CellData> before{measured("fast", 1), measured("slow", 1)};
  const std::vector<CellData> after{measured("slow", 0.8), measured("fast", 1)};
  const auto found = compare(side(before, &before), side(after, &after), Axis::results, {});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->pairs.size(), 2U);
  EXPECT_EQ(found->pairs[0].baseline, &before[1]);
  EXPECT_EQ(found->pairs[0].judgement.verdict, statistics::Verdict::slower);
  EXPECT_FALSE(found->pairs[0].is_paired);
  EXPECT_NE(found->pairs[1].judgement.verdict, statistics::Verdict::slower);
}

TEST(Comparison, OfTwoResultsPairsAVariantWithItsFileMadeAnew) {
  std::vector<CellData> before{measured("fast", 1)};
  before[0].of.model.label = "int8";
  before[0].of.model.exact_hash = "feedface";
  std::vector<CellData> after = before;
  after[0].of.model.key.hash = "of another file";
  EXPECT_EQ(compare(side(before, &before), side(after, &after), Axis::results, {})->pairs.size(), 1U);
  after[0].of.model.label = "int4";
  EXPECT_FALSE(compare(side(before, &before), side(after, &after), Axis::results, {}));
}

TEST(Comparison, AlongAnAxisOfOneResultPairsRounds) {
  const std::vector<CellData> cells{measured("fast", 1, "1.0"), measured("fast", 0.99, "2.0")};
  const auto found = compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::version, {});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->pairs[0].is_paired);
  EXPECT_NEAR(found->pairs[0].judgement.contrast.estimate, std::log(0.99), 1e-6);
}

// Returns a cell with five processes of these peaks in MB.
CellData with_peaks(const std::string& version, const std::vector<double>& peaks_mb) {
  CellData cell = measured("fast", 1, version);
  for (std::size_t i = 0; i < peaks_mb.size(); ++i) {
    cell.processes[i].phases[1].peak_rss_bytes =
        Known<std::uint64_t>::of(static_cast<std::uint64_t>(peaks_mb[i] * 1e6));
  }
  return cell;
}

TEST(Comparison, ByMemoryTellsTheSideWithLessAsTheBetterOne) {
  const std::vector<CellData> cells{with_peaks("1.0", {100, 101, 99, 100, 100}),
                                    with_peaks("2.0", {90, 91, 89, 90, 90})};
  const Judged peak = *parse_judged("timed_peak_bytes", 0.03);
  const std::vector<Judged> judged{peak, Judged{}};
  const auto found = compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::version, {}, judged);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->pairs.size(), 2U);
  EXPECT_EQ(found->pairs[0].by.metric, find_metric("timed_peak_bytes"));
  EXPECT_EQ(found->pairs[0].judgement.verdict, statistics::Verdict::faster);  // better
  EXPECT_NEAR(found->pairs[0].judgement.contrast.estimate, std::log(100.0 / 90), 1e-3);
  EXPECT_NEAR(*found->pairs[0].baseline_value, 100e6, 1e4);
  EXPECT_EQ(found->pairs[1].judgement.verdict, statistics::Verdict::undecided);  // equal speeds do not vary
  EXPECT_EQ(found->baseline_only, 0U);
}

TEST(Comparison, ByTheSizeOfAFileTellsAnyDifferenceWithoutATest) {
  std::vector<CellData> cells{measured("fast", 1, "1.0"), measured("fast", 1, "2.0")};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (store::RecordedProcess& process : cells[i].processes) {
      process.readings.push_back({"artifact_size", "bytes", "end", Known<double>::of(i == 0 ? 1000 : 1001), {}});
    }
  }
  const std::vector<Judged> exact{*parse_judged("artifact_size_bytes", 0.03)};
  const auto told = compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::version, {}, exact);
  EXPECT_EQ(told->pairs.at(0).judgement.verdict, statistics::Verdict::slower);  // worse
  const std::vector<Judged> within{*parse_judged("artifact_size_bytes:1%", 0.03)};
  const auto same = compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::version, {}, within);
  EXPECT_EQ(same->pairs.at(0).judgement.verdict, statistics::Verdict::same);
}

// A metric that no table has: its row says all that a verdict needs.
TEST(Comparison, ByANewMetricNeedsItsRowAlone) {
  const Metric steps{
      "steps_s",
      "steps",
      "s",
      "a reading",
      "",
      false,
      0,
      [](const Analysis& analysis, std::size_t cell) { return largest_reading(analysis, cell, "steps"); },
      "",
      nullptr,
      About::every_cell,
      Better::lower};
  std::vector<CellData> cells{measured("fast", 1, "1.0"), measured("fast", 1, "2.0")};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t process = 0; process < cells[i].processes.size(); ++process) {
      made_up::add_reading(cells[i], process, "steps", (i == 0 ? 1.0 : 1.2) + 0.001 * static_cast<double>(process));
    }
  }
  const std::vector<Judged> by{{&steps, 0.05}};
  const auto told = compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::version, {}, by);
  EXPECT_EQ(told->pairs.at(0).judgement.verdict, statistics::Verdict::slower);  // worse
  EXPECT_NEAR(std::exp(-told->pairs.at(0).judgement.contrast.estimate), 1.2, 0.001);
}

TEST(Comparison, ByAMetricThatASideDoesNotHaveHasNoVerdict) {
  std::vector<CellData> cells{measured("fast", 1, "1.0"), measured("fast", 1, "2.0")};
  const std::vector<Judged> loads{*parse_judged("load_s", 0.03)};
  const auto found = compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::version, {}, loads);
  EXPECT_EQ(found->pairs.at(0).status, PairStatus::no_verdict);
  EXPECT_EQ(found->pairs.at(0).of_baseline->by_process.at(loads[0].metric).reason, "each of its processes compiled");
}

TEST(Comparison, OfSeveralMetricsSharesItsErrorRate) {
  // The logarithms of the ratios have t = 3.15 with four degrees of freedom: p = 0.034, between 5 % and half of it.
  const std::vector<CellData> cells{with_peaks("1.0", {100, 102, 99, 101, 98}),
                                    with_peaks("2.0", {101.197, 102.296, 99.596, 102.989, 98.6})};
  const std::vector<Judged> one{*parse_judged("timed_peak_bytes", 0.001)};
  const std::vector<Judged> two{one.front(), *parse_judged("compile_s", 0.001)};
  const auto alone = compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::version, {}, one);
  const auto beside = compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::version, {}, two);
  EXPECT_NEAR(*alone->pairs.at(0).judgement.adjusted_p, 0.034, 0.002);
  EXPECT_EQ(alone->pairs.at(0).judgement.verdict, statistics::Verdict::slower);
  EXPECT_EQ(beside->pairs.at(0).judgement.verdict, statistics::Verdict::undecided);
}

TEST(Comparison, AlongTheAxisOfLoadsPairsACellWithItselfUnderAnother) {
  std::vector<CellData> cells{made_up::cell_of("xla", 1, {made_up::process(0, {10})}),
                              made_up::cell_of("xla", 1, {made_up::process(0, {20})})};
  cells[1].of.load = "cpu: 1";
  const auto found = compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::load, {});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_NEAR(std::exp(found->pairs.at(0).judgement.contrast.estimate), 0.5, 1e-9);
  EXPECT_FALSE(compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::threads, {}));
}

TEST(Comparison, DoesNotPairCellsThatDifferInMoreThanTheAxis) {
  const std::vector<CellData> cells{measured("fast", 1, "1.0"), measured("fast", 1, "2.0")};
  const auto found = compare({{&cells[0]}}, {{&cells[1]}}, Axis::threads, {});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().what,
              testing::HasSubstr("no cell of the baseline matches a cell of the candidate by threads"));
}

TEST(Comparison, ReportsWhichSideFailed) {
  const std::vector<CellData> before{measured("a", 1), failed("b"), failed("c"), made_up::cell("d", 1)};
  std::vector<CellData> after{failed("a"), measured("b", 1), failed("c"), measured("d", 1)};
  after[0].of.compiler.version = "1.0";
  const auto found = compare(side(before), side(after), Axis::results, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pairs[0].status, PairStatus::newly_failed);
  EXPECT_EQ(found->pairs[1].status, PairStatus::newly_measured);
  EXPECT_EQ(found->pairs[2].status, PairStatus::both_failed);
  EXPECT_EQ(found->pairs[3].status, PairStatus::not_measured_yet);
}

TEST(Comparison, DistinguishesWrongOutputsFromOtherFailures) {
  const std::vector<CellData> before{measured("a", 1), measured("b", 1), failed("c", samples::FailureKind::inaccurate)};
  const std::vector<CellData> after{failed("a", samples::FailureKind::inaccurate), failed("b"), measured("c", 1)};
  const auto found = compare(side(before), side(after), Axis::results, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pairs[0].status, PairStatus::newly_inaccurate);
  EXPECT_EQ(found->pairs[1].status, PairStatus::newly_failed);
  EXPECT_EQ(found->pairs[2].status, PairStatus::newly_measured);
}

TEST(Comparison, CountsACandidateThatLosesProcessesAsNewlyFailed) {
  CellData loses_one = measured("fast", 1);
  loses_one.processes.pop_back();
  loses_one.failed = {made_up::failure(4, samples::FailureKind::crash)};
  CellData overcame = measured("fast", 1);
  overcame.failed = {made_up::failure(4, samples::FailureKind::crash)};
  const std::vector<CellData> whole{measured("fast", 1)};
  const auto status = [&](const CellData& before, const CellData& after) {
    return compare({{&before}}, {{&after}, &whole}, Axis::results, {})->pairs[0].status;
  };
  EXPECT_EQ(status(whole[0], loses_one), PairStatus::newly_failed);
  EXPECT_EQ(status(loses_one, loses_one), PairStatus::judged) << "the baseline loses some as well";
  EXPECT_EQ(status(loses_one, whole[0]), PairStatus::judged);
  EXPECT_EQ(status(whole[0], overcame), PairStatus::judged) << "a later attempt completed";
}

TEST(Comparison, SaysWhatWouldDecideAPairAndHowLongThatTakes) {
  // Log ratios: mean .0259, sd .0475: 29 rounds (verdict_test), 24 more. A process took 2 s before and 3 s now.
  const std::vector<double> noisy{100, 112, 95, 109, 98};
  std::vector<CellData> cells{measured("fast", 1, "1.0"), measured("fast", 1, "2.0")};
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    cells[0].processes[i].wall_ns = 2'000'000'000;
    cells[1].processes[i] = made_up::process(static_cast<int>(i), {1e3 / noisy[i]});
    cells[1].processes[i].wall_ns = 3'000'000'000;
  }
  const auto found = compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::version, {});
  ASSERT_TRUE(found && found->pairs[0].more_rounds);
  EXPECT_EQ(found->pairs[0].more_rounds->count, 24);
  EXPECT_FALSE(found->pairs[0].more_rounds->is_minimum);
  EXPECT_DOUBLE_EQ(found->pairs[0].more_rounds->seconds.value(), 120);
}

TEST(Comparison, OfOneRoundNeedsAtLeastTwoMore) {
  std::vector<CellData> cells{measured("fast", 1, "1.0"), measured("fast", 1, "2.0")};
  for (CellData& cell : cells) cell.processes.resize(1);
  const auto found = compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::version, {});
  ASSERT_TRUE(found && found->pairs[0].more_rounds);
  EXPECT_EQ(found->pairs[0].judgement.verdict, statistics::Verdict::undecided);
  EXPECT_EQ(found->pairs[0].more_rounds->count, 2);
  EXPECT_TRUE(found->pairs[0].more_rounds->is_minimum);
  EXPECT_FALSE(found->pairs[0].more_rounds->seconds) << "the time of a process was not recorded";
}

TEST(Comparison, WithoutVariationIsUndecidedAndMoreRoundsWouldNotHelp) {
  std::vector<CellData> cells{measured("fast", 1, "1.0"), measured("fast", 1, "2.0")};
  for (CellData& cell : cells) {
    for (store::RecordedProcess& process : cell.processes) process = made_up::process(process.process_index, {10});
  }
  const auto found = compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::version, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pairs[0].judgement.verdict, statistics::Verdict::undecided);
  EXPECT_EQ(found->pairs[0].judgement.reason, "no variation seen");
  EXPECT_FALSE(found->pairs[0].more_rounds);
}

TEST(Comparison, WithoutAPairNamesWhatTheSidesDoNotShare) {
  std::vector<CellData> before{measured("fast", 1)};
  std::vector<CellData> after{measured("fast", 1)};
  after[0].of.model.key.batch = 8;
  after[0].of.device = "board";
  const auto found = compare(side(before), side(after), Axis::results, {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().next, "the sides have no common batch size (1 and 8), no common device (local and board)");
}

TEST(Comparison, OfADisturbedCellIsNoVerdictAndNoFailure) {
  std::vector<CellData> before{measured("a", 1), made_up::cell("b", 1), failed("c")};
  std::vector<CellData> after{made_up::cell("a", 1), measured("b", 1), made_up::cell("c", 1)};
  const auto disturb = [](CellData& cell) { cell.failed = {made_up::failure(0, samples::FailureKind::disturbed)}; };
  disturb(after[0]);
  disturb(before[1]);
  disturb(after[2]);
  const auto found = compare(side(before), side(after), Axis::results, {});
  ASSERT_TRUE(found);
  for (const ComparedPair& pair : found->pairs) EXPECT_EQ(pair.status, PairStatus::disturbed);
}

TEST(Comparison, RefusesACellWithTwoPartners) {
  const std::vector<CellData> before{measured("fast", 1, "1.0"), measured("fast", 1, "2.0")};
  const std::vector<CellData> after{measured("fast", 1, "3.0")};
  const auto found = compare(side(before), side(after), Axis::version, {});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().what, testing::HasSubstr("two cells of the baseline match one cell of the candidate"));
}

TEST(Comparison, CountsCellsWithoutAPartner) {
  const std::vector<CellData> before{measured("a", 1), measured("b", 1)};
  const std::vector<CellData> after{measured("b", 1), measured("c", 1), measured("d", 1)};
  const auto found = compare(side(before), side(after), Axis::results, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->baseline_only, 1U);
  EXPECT_EQ(found->candidate_only, 2U);
}

TEST(Comparison, PairsOnlyCellsOfTheSameComputeDevice) {
  std::vector<CellData> cells{made_up::on("cpu", measured("identity", 1)), made_up::on("gpu", measured("identity", 5)),
                              made_up::on("gpu", measured("trt", 9))};
  cells[1].of.compiler.options = {{"device", R"("cuda")"}};
  const auto found = compare({{&cells[0], &cells[1]}, &cells}, {{&cells[2]}, &cells}, Axis::compiler, {});
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_EQ(found->pairs.size(), 1U);
  EXPECT_EQ(found->pairs[0].baseline, &cells[1]);
  EXPECT_FALSE(compare({{&cells[0]}, &cells}, {{&cells[2]}, &cells}, Axis::compiler, {}));
}

TEST(Comparison, AlongTheComputeDevicePairsCellsWhoseOptionsNameIt) {
  std::vector<CellData> cells{made_up::on("cpu", measured("identity", 1)), made_up::on("gpu", measured("identity", 5))};
  cells[0].of.compiler.options = {{"layout", R"("last")"}};
  cells[1].of.compiler.options = {{"device", R"("cuda")"}, {"layout", R"("last")"}};
  const auto found = compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::compute_device, {});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->pairs[0].judgement.verdict, statistics::Verdict::faster);
  EXPECT_EQ(place_on(Axis::compute_device, cells[1]), "gpu");
  EXPECT_EQ(parse_axis("compute_device").value(), Axis::compute_device);
}

TEST(Comparison, KeepsAPairWhoseFailedSideNeverReportedItsComputeDevice) {
  const std::vector<CellData> before{made_up::on("gpu", measured("a", 1))};
  std::vector<CellData> after{failed("a")};
  after[0].of.compiler.version = "1.0";
  const auto found = compare(side(before), side(after), Axis::results, {});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->pairs[0].status, PairStatus::newly_failed);
}

// Cells that ask for all threads had 2 on one device and 16 on the other.
TEST(Comparison, PairsAllThreadsOfOneDeviceWithAllThreadsOfAnother) {
  const auto at = [](const std::string& device, int threads, const std::string& asked) {
    CellData cell = measured("fast", 1);
    cell.of.device = device;
    cell.of.threads = threads;
    cell.of.compiler.threads_asked = asked;
    return cell;
  };
  const std::vector<CellData> small{at("small", 2, "all")};
  const std::vector<CellData> large{at("large", 16, "all")};
  const auto devices = compare(side(small), side(large), Axis::device, {});
  ASSERT_TRUE(devices) << devices.error().text();
  EXPECT_EQ(devices->pairs.size(), 1U);
  const std::vector<CellData> by_number{at("large", 2, "")};
  EXPECT_FALSE(compare(side(small), side(by_number), Axis::device, {}));
  const std::vector<CellData> one{at("small", 1, "")};
  const auto threads = compare(side(one), side(small), Axis::threads, {});
  ASSERT_TRUE(threads) << threads.error().text();
  EXPECT_EQ(threads->pairs.size(), 1U);
  EXPECT_TRUE(is_called("2", Axis::threads, small[0]));
  EXPECT_TRUE(is_called("all", Axis::threads, small[0]));
}

TEST(Axis, IsNamedByItsValueAndACompilerAlsoByLabelOrVersion) {
  EXPECT_EQ(parse_axis("options").value(), Axis::options);
  EXPECT_FALSE(parse_axis("colour"));
  CellData cell = measured("fast", 1, "2.0");
  cell.of.compiler.label = "fast hint=latency";
  cell.of.compiler.options = {{"hint", R"("latency")"}, {"spin", "false"}};
  EXPECT_EQ(place_on(Axis::options, cell), "hint=latency spin=false");
  EXPECT_TRUE(is_called("fast", Axis::compiler, cell));
  EXPECT_TRUE(is_called("fast@2.0", Axis::compiler, cell));
  EXPECT_TRUE(is_called("fast hint=latency", Axis::compiler, cell));
  EXPECT_FALSE(is_called("fast@1.0", Axis::compiler, cell));
  EXPECT_TRUE(is_called("fast@2.0", Axis::version, cell));
  EXPECT_FALSE(is_called("slow@2.0", Axis::version, cell));
}

TEST(Axis, IsTheVersionIfBothNamesAreVersionsOfOneCompiler) {
  EXPECT_EQ(axis_meant_by("onnxruntime@1.30.0", "onnxruntime@1.31.1"), Axis::version);
  EXPECT_EQ(axis_meant_by("onnxruntime@1.30.0", "openvino@2026.4.1"), Axis::compiler);
  EXPECT_EQ(axis_meant_by("identity", "onnxruntime"), Axis::compiler);
}

}  // namespace
}  // namespace ngb::metrics
