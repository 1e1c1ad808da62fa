// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "made_up_results.h"
#include "report/explain/pictures.h"

namespace ngb::report::figures {
namespace {

using made_up::cell_with;
using made_up::figure_called;
using made_up::profile_of;
using made_up::ResultsOf;
using made_up::rows_of;
using testing::ElementsAre;
using testing::Pair;

// Each round of the cell has one of these profiles.
store::CellData profiled(const std::string& compiler, const std::vector<samples::KernelProfile>& rounds) {
  store::CellData cell = cell_with({.compiler = compiler}, std::vector<double>(rounds.size(), 100.0));
  for (std::size_t i = 0; i < rounds.size(); ++i) cell.processes[i].profile = rounds[i];
  return cell;
}

std::vector<store::CellData> two_profiled() {
  return {
      profiled("identity", {profile_of(2, 1, false), profile_of(2.125, 1, false), profile_of(1.875, 1, false)}),
      profiled("onnxruntime", {profile_of(1, 0.5, true), profile_of(1.125, 0.5, true), profile_of(0.875, 0.5, true)})};
}

TEST(FigureOfOperatorTimes, HasTheTimeOfEachKindOfOperatorAndWhatIsOutside) {
  const ResultsOf results(two_profiled());
  std::vector<std::pair<std::string, double>> times;
  for (const Row& row : rows_of(results, "operator_times")) {
    times.emplace_back(row.at("compiler").get<std::string>() + " " + row.at("operator").get<std::string>(),
                       row.at("time_ms").get<double>());
  }
  EXPECT_THAT(
      times, ElementsAre(Pair("PyTorch eager (identity 1.0) Conv", 2), Pair("PyTorch eager (identity 1.0) Relu", 1),
                         Pair("PyTorch eager (identity 1.0) outside operators", 0.5), Pair("onnxruntime 1.0 Conv", 1.5),
                         Pair("onnxruntime 1.0 outside operators", 0.5)));
}

TEST(FigureOfOperatorTimes, DrawsTheNineLongestKindsAndTheOthersAsOne) {
  samples::KernelProfile profile{.profiled_ns = 78e6, .plain_ns = 78e6, .inferences = 1};
  std::vector<work::GraphNode> graph;
  std::vector<samples::Kernel> kernels;
  for (int i = 1; i <= 12; ++i) {  // 1 + 2 + … + 12 = 78
    const std::string name = "op" + std::to_string(i);
    graph.push_back({name, name, {"x"}, {name}});
    kernels.push_back({name, "", {name}, {}, "node name"});
    profile.kernel_ns.push_back(i * 1e6);
  }
  profile.graph = graph;
  profile.kernels = kernels;
  const auto rows = rows_of(ResultsOf({profiled("identity", {profile})}), "operator_times");
  ASSERT_EQ(rows.size(), 12U);
  EXPECT_EQ(rows[0].at("drawn_as"), "op12");
  EXPECT_EQ(rows[8].at("drawn_as"), "op4");
  EXPECT_EQ(rows[9].at("drawn_as"), "other operators");
  EXPECT_EQ(rows[9].at("operator"), "op3");
}

TEST(FigureOfRegionDifferences, StepsFromOneCompilersTimeToThatOfTheOther) {
  const auto rows = rows_of(ResultsOf(two_profiled()), "region_differences");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("panel"),
            "resnet18, batch 1: from PyTorch eager (identity 1.0) (3.250 ms) to onnxruntime 1.0 (1.750 ms)");
  EXPECT_EQ(rows[0].at("region"), "stem+act");
  EXPECT_EQ(rows[0].at("label"), "stem+act: -1.500 ms");
  EXPECT_EQ(rows[0].at("from_ms"), 0);
  EXPECT_EQ(rows[0].at("to_ms"), -1.5);
  EXPECT_EQ(rows[0].at("low"), -1.5) << "each round differs by as much";
  EXPECT_EQ(rows[0].at("direction"), "takes less");
  EXPECT_EQ(rows[0].at("told"), "yes");
  EXPECT_EQ(rows[1].at("region"), "other regions, outside operators, not explained");
  EXPECT_EQ(rows[1].at("to_ms"), -1.5) << "the difference of the plain times";
  EXPECT_TRUE(rows[1].at("low").is_null());
}

TEST(FigureOfRegionDifferences, SaysWhichPairHasNoExplanation) {
  auto cells = two_profiled();
  cells.push_back(profiled("tvm", {profile_of(1, 1, true)}));
  cells.back().processes.front().profile->kernels = {};
  cells.back().processes.front().profile->kernel_ns.clear();
  const ResultsOf results(std::move(cells));
  const Rows made = make_rows(figure_called("region_differences"), results.selection());
  EXPECT_EQ(made.rows.size(), 2U);
  EXPECT_EQ(made.remark, "1 of 2 pairs have no explanation: ngb explain says why");
}

TEST(FiguresOfProfiles, AreLeftOutOfResultsThatWereTimedForASpeed) {
  const ResultsOf results({cell_with({}, {100, 100})});
  for (const char* const name : {"operator_times", "region_differences"}) {
    EXPECT_EQ(make_rows(figure_called(name), results.selection()).why_none, "no process was profiled");
  }
}

TEST(Waterfall, EndsAtTheDifferenceOfThePlainTimesWhateverIsDrawn) {
  explain::Explanation found;
  for (const double ns : {-4.0, 3.0, 1.0}) {
    explain::RegionDifference region;
    region.difference.estimate = ns;
    found.regions.push_back(region);
  }
  found.plain.estimate = -2;
  const auto steps = waterfall_of(found, 2);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[1].from_ns, -4);
  EXPECT_EQ(steps[1].to_ns, -1);
  EXPECT_EQ(steps[2].ns(), -1);
}

}  // namespace
}  // namespace ngb::report::figures
