// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "made_up_results.h"

namespace ngb::report::figures {
namespace {

using made_up::cell_with;
using made_up::figure_called;
using made_up::ResultsOf;
using made_up::rows_of;
using samples::FailureKind;
using store::CellData;
using testing::HasSubstr;

TEST(FigureOfSamples, HasEveryRepetitionInTheOrderOfTimeWithoutWarmUp) {
  CellData cell = cell_with({.batch = 2}, {});
  cell.processes = {made_up::process(0, {10, 20}), made_up::process(1, {40})};
  cell.processes[0].started_unix_ns = 2'000;
  cell.processes[1].started_unix_ns = 3'000;
  store::RecordedProcess disturbed = made_up::process(0, {80});
  disturbed.started_unix_ns = 1'000;
  disturbed.failure = samples::Failure{FailureKind::disturbed, samples::Phase::timed, "other work", "", {}, {}};
  cell.failed = {disturbed};
  cell.planned_processes = 2;
  const ResultsOf results({cell});
  const auto rows = rows_of(results, "samples");
  ASSERT_EQ(rows.size(), 4U);
  std::vector<double> speeds;
  std::vector<std::string> states;
  for (const Row& row : rows) {
    speeds.push_back(row.at("throughput_per_s").get<double>());
    states.push_back(row.at("state").get<std::string>());
  }
  EXPECT_THAT(speeds, testing::ElementsAre(testing::DoubleEq(25), testing::DoubleEq(200), testing::DoubleEq(100),
                                           testing::DoubleEq(50)));
  EXPECT_THAT(states, testing::ElementsAre("disturbed", "counted", "counted", "counted"));
  EXPECT_EQ(rows[0].at("reason"), "other work");
  EXPECT_EQ(rows[3].at("repetition"), 4);
  EXPECT_THAT(rows[0].at("panel").get<std::string>(), HasSubstr("disturbed]")) << "its flags";
}

TEST(FigureOfSamples, ShowsCellsOfInterestFirstIfThereAreManyCells) {
  std::vector<CellData> cells;
  for (int i = 0; i < 30; ++i) cells.push_back(cell_with({.model = fmt::format("model {}", i)}, {100, 100, 100}));
  cells[29].failed = {made_up::failure(0, FailureKind::crash)};
  const ResultsOf results(cells);
  const Rows made = make_rows(figure_called("samples"), results.selection());
  EXPECT_EQ(made.rows.front().at("model"), "model 29");
  EXPECT_EQ(made.remark, "12 of 30 cells are shown, first those with lost processes, then those with flags");
}

TEST(FigureOfSamples, HasEveryNthRepetitionOfACellWithVeryMany) {
  CellData cell = cell_with({}, {});
  cell.processes = {made_up::process(0, std::vector<double>(50'000, 1.0))};
  cell.planned_processes = 1;
  const ResultsOf results({cell});
  const auto rows = rows_of(results, "samples");
  EXPECT_EQ(rows.size(), 50'000U / 3);
  EXPECT_EQ(rows[1].at("repetition"), 6);
  EXPECT_EQ(rows[1].at("every"), 3);
}

}  // namespace
}  // namespace ngb::report::figures
