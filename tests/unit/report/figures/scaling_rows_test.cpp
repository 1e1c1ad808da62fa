// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "made_up_results.h"

namespace ngb::report::figures {
namespace {

using made_up::around;
using made_up::cell_with;
using made_up::figure_called;
using made_up::ResultsOf;
using made_up::rows_of;
using store::CellData;

CellData on(int threads, int instances, double speed) {
  CellData cell = cell_with({.compiler = "fast"}, around(speed));
  cell.of.threads = threads;
  cell.of.compiler.threads = threads;
  cell.of.compiler.instances = instances;
  cell.of.compiler.label = "fast " + std::to_string(threads) + "x" + std::to_string(instances);
  cell.cell_id = cell.of.compiler.label;
  return cell;
}

double value_on(const std::vector<Row>& rows, const std::string& line, int processors, const std::string& quantity) {
  for (const Row& row : rows) {
    const bool is_it = row.at("line") == line && row.at("processors") == processors && row.at("quantity") == quantity;
    if (is_it) return row.at("value").get<double>();
  }
  return 0;
}

// 100 samples/s on one processor; four threads give 250, four instances 360.
TEST(FigureOfScaling, SetsInstancesAgainstThreadsOnAsManyProcessors) {
  const auto rows = rows_of(ResultsOf({on(1, 1, 100), on(4, 1, 250), on(1, 4, 360)}), "scaling");
  ASSERT_EQ(rows.size(), 8U) << "two quantities of two points on each of two lines";
  EXPECT_NEAR(value_on(rows, "threads of one instance", 4, "throughput (samples/s)"), 250, 1);
  EXPECT_NEAR(value_on(rows, "threads of one instance", 4, "efficiency (ratio)"), 2.5 / 4, 1e-6);
  EXPECT_NEAR(value_on(rows, "instances of 1 thread", 4, "efficiency (ratio)"), 3.6 / 4, 1e-6);
  EXPECT_EQ(value_on(rows, "instances of 1 thread", 1, "efficiency (ratio)"), 1) << "where both lines begin";
  EXPECT_EQ(rows[0].at("panel"), "resnet18, batch 1, fast");
}

TEST(FigureOfScaling, ComparesWithTheFewestProcessorsThatWereMeasured) {
  const auto rows = rows_of(ResultsOf({on(2, 1, 100), on(8, 1, 300)}), "scaling");
  EXPECT_NEAR(value_on(rows, "threads of one instance", 8, "efficiency (ratio)"), 0.75, 1e-6);
}

TEST(FigureOfScaling, IsNotDrawnWhereNothingScales) {
  CellData other = on(2, 1, 100);
  other.of.compiler.name = "slow";
  const ResultsOf results({on(1, 1, 100), other});
  EXPECT_EQ(make_rows(figure_called("scaling"), results.selection()).why_none,
            "no compiler was measured on several numbers of processors");
}

}  // namespace
}  // namespace ngb::report::figures
