// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "made_up_results.h"

namespace ngb::report::figures {
namespace {

using made_up::cell_with;
using made_up::figure_called;
using made_up::ResultsOf;
using made_up::rows_of;
using store::CellData;

// Two processes that hold 50 MB, and so many bytes more after each of 100 inferences.
CellData holding(double bytes) {
  CellData cell = cell_with({}, {});
  cell.processes = {made_up::process(0, {10, 20}), made_up::process(1, {10, 20})};
  cell.planned_processes = 2;
  for (store::RecordedProcess& process : cell.processes) {
    for (int i = 1; i <= 10; ++i) {
      process.readings.push_back({"inferences", "1", "mark", Known<double>::of(10.0 * i), i * 1'000'000'000LL});
      process.readings.push_back(
          {"memory", "byte", "mark", Known<double>::of(5e7 + bytes * 10 * i), i * 1'000'000'000LL});
    }
  }
  return cell;
}

TEST(FigureOfMemory, HasTheMarksOfCellsThatKeepSome) {
  const auto rows = rows_of(ResultsOf({holding(2000)}), "memory_over_inferences");
  ASSERT_EQ(rows.size(), 20U);
  EXPECT_EQ(rows[3].at("inferences"), 40);
  EXPECT_EQ(rows[3].at("memory_bytes"), 50'080'000);
  EXPECT_EQ(rows[3].at("at_s"), 4);
  EXPECT_EQ(rows[3].at("process"), 0);
  EXPECT_EQ(rows[13].at("process"), 1);
}

TEST(FigureOfMemory, IsNotDrawnWhereNothingGrows) {
  const ResultsOf results({holding(0)});
  const Rows made = make_rows(figure_called("memory_over_inferences"), results.selection());
  EXPECT_TRUE(made.rows.empty());
  EXPECT_EQ(made.why_none, "no cell keeps memory of each inference");
}

}  // namespace
}  // namespace ngb::report::figures
