// SPDX-License-Identifier: Apache-2.0
#include "report/figures/axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "made_figures.h"
#include "made_up_results.h"

namespace ngb::report::figures {
namespace {

using made_up::cell_with;
using made_up::figures_of;
using made_up::made_called;
using made_up::ResultsOf;
using made_up::visit;
using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

// Two compilers take half of the smallest step, that from 1 to 2, so each is an eighth beside the tick.
TEST(Axes, AreOfPowersOfTwoForBatchSizesWithCompilersSideBySide) {
  std::vector<store::CellData> cells;
  for (const int batch : {1, 2, 16}) {
    cells.push_back(cell_with({.batch = batch}, {100, 101}));
    cells.push_back(cell_with({.compiler = "openvino", .batch = batch}, {200, 201}));
  }
  const ResultsOf results(std::move(cells));
  const ordered_json json =
      json_text::parse_ordered(made_called(figures_of(results), "throughput_by_batch").specification);
  std::vector<double> at;
  for (const ordered_json& row : json.at("datasets").at("rows")) at.push_back(row.at("at").get<double>());
  EXPECT_THAT(at, testing::ElementsAre(-0.125, 0.125, 0.875, 1.125, 3.875, 4.125));
  visit(json, "", [&](const ordered_json& part, const std::string& key) {
    if (key != "x" || !part.contains("field")) return;
    EXPECT_EQ(part.at("type"), "quantitative");
    EXPECT_EQ(part.at("axis").at("values"), ordered_json::parse("[0.0, 1.0, 4.0]"));
    EXPECT_EQ(part.at("axis").at("labelExpr"), "({'0': '1', '1': '2', '4': '16'})[datum.value]");
  });
}

// Points at 100 and 400 samples/s: the frame is half as much again on both sides, 50 to 800 on the logarithmic axis.
TEST(Axes, EndIntervalsAtTheFrameWithATriangleAndAWord) {
  const ResultsOf results({cell_with({}, {99.9, 100.1}), cell_with({.batch = 2}, {20, 8000})});
  const Made made = made_called(figures_of(results), "throughput_by_batch");
  const ordered_json json = json_text::parse_ordered(made.specification);
  const ordered_json& rows = json.at("datasets").at("rows");
  EXPECT_EQ(rows.at(0).at("low_at"), rows.at(0).at("low"));
  EXPECT_NEAR(rows.at(1).at("low_at").get<double>(), 50, 0.1);
  EXPECT_NEAR(rows.at(1).at("high_at").get<double>(), 800, 1);
  EXPECT_THAT(made.specification, HasSubstr("A triangle at the end of an interval: it reaches farther"));
  EXPECT_THAT(made.specification, HasSubstr("triangle-down\""));
  const ResultsOf narrow({cell_with({}, {99.9, 100.1}), cell_with({.batch = 2}, {399, 401})});
  EXPECT_THAT(made_called(figures_of(narrow), "throughput_by_batch").specification, Not(HasSubstr("reaches farther")));
}

}  // namespace
}  // namespace ngb::report::figures
