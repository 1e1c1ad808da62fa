// SPDX-License-Identifier: Apache-2.0
#include "metrics/gate.h"

#include <gtest/gtest.h>

#include "made_up_cells.h"

namespace ngb::metrics {
namespace {

using store::CellData;

CellData with_speeds(const std::string& version, const std::vector<double>& speeds) {
  std::vector<store::RecordedProcess> processes;
  for (const double speed : speeds) {
    processes.push_back(made_up::process(static_cast<int>(processes.size()), {1e3 / speed}));
  }
  CellData cell = made_up::cell_of("fast", 1, processes);
  cell.of.compiler.version = version;
  return cell;
}

Comparison compared(const std::vector<CellData>& cells) {
  return compare({{&cells[0]}, &cells}, {{&cells[1]}, &cells}, Axis::version,
                 {.adjustment = statistics::Adjustment::holm})
      .value();
}

TEST(SelfTest, FindsACandidateThatIsSlowedByTheThresholdAndTwiceTheHalfWidth) {
  const std::vector<CellData> cells{with_speeds("1.0", {100, 104, 98, 101, 97}),
                                    with_speeds("2.0", {100, 112, 95, 109, 98})};
  const Comparison comparison = compared(cells);
  EXPECT_EQ(gate(comparison, {}).outcome, GateOutcome::undecided);
  const auto found = self_test(comparison, true, Axis::version, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slowed, 1U);
  EXPECT_EQ(found->found, 1U);
}

TEST(SelfTest, OfTooFewRoundsFindsNothing) {
  const std::vector<CellData> cells{with_speeds("1.0", {100, 104}), with_speeds("2.0", {100, 112})};
  const auto found = self_test(compared(cells), true, Axis::version, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slowed, 0U);
  EXPECT_EQ(found->found, 0U);
}

TEST(SelfTest, IsJudgedByTheGatesOwnAdjustment) {
  // Log ratios: sd .0062, half width .0077. The slowed ones are .0451 below 0: t = 16 with 4 degrees, p = .00008; ten
  // times that is a discovery.
  std::vector<CellData> cells;
  Side baseline{.origin = &cells};
  Side candidate{.origin = &cells};
  for (int batch = 1; batch <= 10; ++batch) {
    cells.push_back(with_speeds("1.0", {100, 104, 98, 101, 97}));
    cells.push_back(with_speeds("2.0", {100.5, 103, 98.5, 101.5, 97}));
    cells[cells.size() - 1].of.model.key.batch = cells[cells.size() - 2].of.model.key.batch = batch;
  }
  for (const CellData& cell : cells) (cell.of.compiler.version == "1.0" ? baseline : candidate).cells.push_back(&cell);
  const Comparison comparison =
      compare(baseline, candidate, Axis::version, {.adjustment = statistics::Adjustment::holm}).value();
  const auto found = self_test(comparison, true, Axis::version, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slowed, 10U);
  EXPECT_EQ(found->found, 10U);
}

}  // namespace
}  // namespace ngb::metrics
