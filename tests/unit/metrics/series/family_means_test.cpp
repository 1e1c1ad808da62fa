// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/group_means.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string_view>

#include "made_up_series.h"

namespace ngb::metrics::series {
namespace {

using made_up::cell_with;
using made_up::values_of_series;
using store::CellData;
using store::SeriesValue;

// Two models of one family at batch 2 and 4, with the identity and a faster compiler.
std::vector<CellData> two_models() {
  const auto cell = [](const std::string& model, int batch, const std::string& compiler, std::vector<double> speeds) {
    return cell_with({.model = model, .compiler = compiler, .batch = batch, .family = "resnet"}, speeds);
  };
  return {cell("a", 2, "identity", {50, 51, 52}), cell("a", 2, "fast", {100, 102, 98}),
          cell("a", 4, "identity", {60, 61, 59}), cell("a", 4, "fast", {150, 151, 155}),
          cell("b", 2, "identity", {30, 29, 31}), cell("b", 2, "fast", {40, 41, 42}),
          cell("b", 4, "identity", {40, 41, 39}), cell("b", 4, "fast", {70, 72, 69})};
}

SeriesValue of_fast(const std::vector<CellData>& cells, const std::string& series) {
  for (SeriesValue& value : values_of_series(cells, series)) {
    if (value.compiler == "fast 1.0") return std::move(value);
  }
  return {.reason = "no such row"};
}

// Expected: pandas 3.1.1, groupby over cells, mean of means, mean of std and std of means (n - 1).
TEST(FamilyThroughput, IsTheMeanOfTheCellsWithItsDeviationBothWays) {
  const SeriesValue mean = of_fast(two_models(), "model_group_throughput_per_s");
  EXPECT_EQ(mean.subject, "resnet");
  EXPECT_EQ(mean.batch_sizes, "2-4");
  EXPECT_EQ(mean.cell_ids.size(), 4U);
  EXPECT_NEAR(mean.value.value(), 90.83333333333333, 1e-5);
  EXPECT_NEAR(of_fast(two_models(), "model_group_throughput_std_per_s").value.value(), 1.793319135679134, 1e-5);
  EXPECT_NEAR(of_fast(two_models(), "model_group_throughput_between_std_per_s").value.value(), 47.36032094485847, 1e-5);
}

// Expected: scipy 1.17.1, a contrast of four paired means of logarithms with weights 1/4.
TEST(FamilySpeedUp, IsTheGeometricMeanOfTheCellsWithItsInterval) {
  const SeriesValue value = of_fast(two_models(), "model_group_speed_up_ratio");
  EXPECT_NEAR(value.value.value(), 1.8588502659893618, 1e-6);
  EXPECT_NEAR(value.low.value(), 1.8224942501251833, 1e-5);
  EXPECT_NEAR(value.high.value(), 1.8959315296228685, 1e-5);
}

TEST(FamilyThroughput, KeepsSettingsApartThatDifferInInferencesInFlightOrInTheLibrarysSettings) {
  std::vector<CellData> cells = two_models();
  for (CellData changed : {cells[1], cells[1]}) {
    changed.cell_id += std::to_string(cells.size());
    if (cells.size() == 8) {
      changed.of.compiler.in_flight = 2;
    } else {
      changed.of.compiler.settings = {{"arena", R"("off")"}};
    }
    cells.push_back(std::move(changed));
  }
  std::size_t rows = 0;
  for (const SeriesValue& value : values_of_series(cells, "model_group_throughput_per_s")) {
    if (value.compiler == "fast 1.0") ++rows;
  }
  EXPECT_EQ(rows, 3U);
}

TEST(FamilyThroughput, HasNoValueIfOneOfItsCellsHasNone) {
  std::vector<CellData> cells = two_models();
  cells.back().processes.clear();
  cells.back().failed = {made_up::failure(0, samples::FailureKind::crash)};
  const SeriesValue value = of_fast(cells, "model_group_throughput_per_s");
  EXPECT_FALSE(value.value);
  EXPECT_EQ(value.reason.substr(0, 12), "b, batch 4: ");
}

// Busy processors 1.5, 1.6, 1.4 beside 3, 3.1, 2.9, and 2, 2.1, 2.2 beside 4, 4.2, 4.1. Expected: scipy 1.17.1.
TEST(FamilyCpuReduction, IsOneMinusTheGeometricMeanOfTheShares) {
  const auto cell = [](const std::string& compiler, int batch, const std::vector<double>& busy) {
    std::vector<store::RecordedProcess> processes;
    for (const double cpus : busy) {
      processes.push_back(made_up::process(static_cast<int>(processes.size()), {10}, 1, cpus));
    }
    return made_up::cell_of(compiler, batch, processes);
  };
  const SeriesValue value = of_fast({cell("identity", 2, {3, 3.1, 2.9}), cell("fast", 2, {1.5, 1.6, 1.4}),
                                     cell("identity", 4, {4, 4.2, 4.1}), cell("fast", 4, {2, 2.1, 2.2})},
                                    "model_group_cpu_reduction_ratio");
  EXPECT_NEAR(value.value.value(), 0.4943622067357114, 1e-6);
  EXPECT_NEAR(value.low.value(), 0.4721946724305024, 1e-5);
  EXPECT_NEAR(value.high.value(), 0.5155987167569567, 1e-5);
}

// `slow` is slower, compiles longer and needs more memory than `fast`; `small` is as slow but smaller.
TEST(ParetoFront, LeavesOutOnlyWhatAnotherSettingBeatsInEverything) {
  const auto cell = [](const std::string& compiler, double speed, std::uint64_t bytes, std::int64_t compile_ns) {
    const bool is_fast = compiler == "fast";  // whose rounds differ otherwise, so that it can be told
    CellData made = cell_with({.compiler = compiler}, made_up::around(speed, is_fast ? std::vector{0.0, 0.001, -0.001}
                                                                                     : std::vector{0.0, 0.0, 0.001}));
    for (store::RecordedProcess& process : made.processes) {
      process.phases[0].wall_ns = compile_ns;
      process.phases[1].peak_rss_bytes = Known<std::uint64_t>::of(bytes);
    }
    return made;
  };
  const auto values = values_of_series(
      {cell("fast", 200, 1000, 2'000'000), cell("slow", 100, 2000, 3'000'000), cell("small", 100, 500, 3'000'000)},
      "dominating_count");
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[0].value, 0);
  EXPECT_EQ(values[1].value, 1);
  EXPECT_EQ(values[2].value, 0);
}

// Each is judged beside seven others.
TEST(ParetoFront, OfEightEqualSettingsHasAllInNineteenOfTwentyStudies) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> of_process(0, 0.02);
  constexpr int kStudies = 200;
  int with_any = 0;
  for (int study = 0; study < kStudies; ++study) {
    std::vector<CellData> cells;
    for (int i = 0; i < 8; ++i) {
      std::vector<double> speeds;
      for (int round = 0; round < 5; ++round) speeds.push_back(100 * std::exp(of_process(random)));
      cells.push_back(cell_with({.compiler = fmt::format("c{}", i)}, speeds));
    }
    const auto values = values_of_series(cells, "dominating_count");
    with_any += std::any_of(values.begin(), values.end(), [](const SeriesValue& each) { return each.value > 0; });
  }
  EXPECT_LE(with_any, kStudies / 20);
}

// An A/A study: `a` and `b` are equal entries, so that their difference is noise.
TEST(EqualEntriesUnderTwoLabels, HaveNumbersOfTheirOwn) {
  std::vector<CellData> cells;
  for (const int batch : {1, 8}) {
    for (const char* const label : {"base", "a", "b"}) {
      CellData cell = cell_with({.compiler = "null", .batch = batch}, made_up::around(label[0] == 'b' ? 100 : 200));
      cell.of.compiler.label = label;
      cell.cell_id = fmt::format("{}/{}", label, batch);
      if (std::string_view(label) == "base") cell.of.compiler.name = cell.of.compiler.label = "identity";
      cells.push_back(std::move(cell));
    }
  }
  const Analysis analysis = made_up::analysis_of(cells);
  EXPECT_NE(analysis.settings().of(cells[1]), analysis.settings().of(cells[2]));
  EXPECT_EQ(analysis.single_of(4), 1U) << "of a";
  EXPECT_EQ(analysis.single_of(5), 2U) << "of b";
  const auto values = values_of_series(cells, "model_group_batch_speed_up_ratio");
  ASSERT_EQ(values.size(), 4U);
  for (const SeriesValue& value : values) {
    ASSERT_EQ(value.cell_ids.size(), 1U);
    EXPECT_NEAR(*value.value, value.cell_ids[0][0] == 'a' ? 2 : 1, 1e-9) << value.cell_ids[0];
  }
}

TEST(EqualEntriesUnderTwoLabels, AreOneSettingUnlessBothWereMeasuredOnOneWorkload) {
  CellData one = cell_with({.compiler = "null", .batch = 1}, made_up::around(100));
  CellData other = cell_with({.compiler = "null", .batch = 8}, made_up::around(100));
  other.of.compiler.label = "null 1.0";  // as after an entry was added to the study
  const std::vector<const CellData*> cells{&one, &other};
  const Settings settings(cells);
  EXPECT_EQ(settings.of(one), settings.of(other));
}

}  // namespace
}  // namespace ngb::metrics::series
