// SPDX-License-Identifier: Apache-2.0
// Expected values of power: scipy 1.17.1 (stats.nct, stats.t); of the autocorrelation: numpy; the others by hand.
#include "metrics/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "made_up_cells.h"

namespace ngb::metrics {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

// Returns a cell whose processes, one of each round, take these times for an inference.
store::CellData timed(const std::vector<double>& times_ms) {
  store::CellData cell = made_up::cell("fast", 1);
  for (std::size_t i = 0; i < times_ms.size(); ++i) {
    cell.processes.push_back(made_up::process(static_cast<int>(i), {times_ms[i]}));
    cell.processes.back().wall_ns = 2'000'000'000;
  }
  return cell;
}

std::vector<double> differences_of(const store::CellData& one, const store::CellData& other) {
  return equal_cell(one, other).differences;
}

TEST(EqualSides, DifferByTheRatioOfTheirSpeedsInEachRound) {
  EXPECT_THAT(differences_of(timed({10, 12, 20}), timed({11, 12, 10})),
              ElementsAre(DoubleNear(std::log(1.1), 1e-12), 0, DoubleNear(std::log(0.5), 1e-12)));
}

TEST(EqualSides, LeaveOutARoundOfWhichAProcessIsMissing) {
  store::CellData one = timed({10, 10, 10});
  store::CellData other = timed({10, 10, 20});
  one.processes.erase(one.processes.begin());  // rounds 1 and 2 are left
  EXPECT_THAT(differences_of(one, other), ElementsAre(0, DoubleNear(std::log(2), 1e-12)));
  other.processes.erase(other.processes.begin() + 1);  // rounds 0 and 2
  EXPECT_THAT(differences_of(one, other), ElementsAre(DoubleNear(std::log(2), 1e-12)));
}

TEST(EqualSides, LeaveOutARoundAcrossTwoEnvironmentsOrRuns) {
  const store::CellData one = timed({10, 12});
  store::CellData other = timed({11, 14});
  other.processes[1].environment_hash = "elsewhere";
  EXPECT_EQ(differences_of(one, other).size(), 1U);
  other.processes[0].run_key = 7;
  EXPECT_THAT(differences_of(one, other), IsEmpty());
}

TEST(EqualCell, HasTheTimesOfAnInferenceAndOfAProcess) {
  const EqualCell cell = equal_cell(timed({10}), timed({40}));
  EXPECT_EQ(cell.name, "resnet18, batch 1");
  EXPECT_NEAR(cell.inference_s.value(), 0.020, 1e-12);  // geometric mean
  EXPECT_DOUBLE_EQ(cell.process_s.value(), 2);
  EXPECT_FALSE(equal_cell(timed({}), timed({})).inference_s);
  EXPECT_FALSE(equal_cell(timed({}), timed({})).process_s);
}

TEST(Calibration, DescribesTheDeviationsOfAllCells) {
  // Differences of -s, 0 and s have the standard deviation s.
  std::vector<EqualCell> cells;
  for (const double s : {0.05, 0.01, 0.03, 0.02, 0.04}) cells.push_back({"", 0.01, 2, {-s, 0, s}});
  cells.push_back({"too few", 0.01, 100, {0.5, -0.5}});
  const Calibration found = calibrate(cells);
  EXPECT_EQ(found.cells, 5U);
  EXPECT_EQ(found.unusable, 1U);
  EXPECT_EQ(found.least_rounds, 3U);
  EXPECT_EQ(found.most_rounds, 3U);
  EXPECT_NEAR(found.median_deviation, 0.03, 1e-12);
  EXPECT_NEAR(found.high_deviation, 0.042, 1e-12);  // type 7: 0.8 * 4 = 3.2, so .04 + .2 * .01
  EXPECT_NEAR(found.quiet_deviation, 0.02, 1e-12);
  EXPECT_NEAR(found.round_s, 4, 1e-12);
  EXPECT_EQ(found.false_verdicts, 0U);
}

TEST(Calibration, CountsVerdictsThatMustBeFalse) {
  std::vector<EqualCell> cells;
  for (int i = 0; i < 9; ++i) cells.push_back({"", 0.01, 1, {-0.01, 0, 0.01, 0, 0.002 * i}});
  cells.push_back({"a drift of one side", 0.01, 1, {0.10, 0.11, 0.10, 0.11, 0.10}});
  EXPECT_EQ(calibrate(cells).false_verdicts, 1U);
}

TEST(Calibration, OfNoUsableCellHasNoNumbers) {
  const Calibration found = calibrate(std::vector<EqualCell>{{"", 1, 1, {0.1}}});
  EXPECT_EQ(found.cells, 0U);
  EXPECT_EQ(found.unusable, 1U);
  EXPECT_FALSE(found.lag_1);
}

TEST(LagOne, IsTheMeanOverTheCellsCorrectedForTheirLength) {
  const EqualCell cell{"", 1, 1, {0.01, -0.02, 0.03, 0, -0.01}};
  EXPECT_NEAR(lag_1_of(std::vector<EqualCell>{cell}).value(), -0.5567567567567566 + 0.2, 1e-12);
  // -0.03, 0.01, 0.03, ... : deviations from the mean 0 are -3, 1, 2; products -3 + 2 = -1; squares 14
  const EqualCell other{"", 1, 1, {-0.03, 0.01, 0.02}};
  EXPECT_NEAR(lag_1_of(std::vector<EqualCell>{cell, other}).value(),
              ((-0.5567567567567566 + 0.2) + (-1.0 / 14 + 1.0 / 3)) / 2, 1e-12);
  EXPECT_FALSE(lag_1_of(std::vector<EqualCell>{{"", 1, 1, {0, 0, 0}}}));
}

TEST(SmallestDifference, IsFoundWithAPowerOf95Percent) {
  EXPECT_NEAR(smallest_difference(0.01, 3), 0.0458915903738316, 1e-9);
  EXPECT_NEAR(smallest_difference(0.01, 5), 0.022283191463831977, 1e-9);
  EXPECT_NEAR(smallest_difference(0.01, 15), 0.010075018719851146, 1e-9);
  EXPECT_NEAR(smallest_difference(0.0221, 5), 0.04991078381818735, 1e-9);
  EXPECT_EQ(smallest_difference(0, 5), 0);
  EXPECT_GT(smallest_difference(0.01, 2), smallest_difference(0.01, 3));
}

TEST(RoundsToTell, GrowWithTheDeviation) {
  EXPECT_EQ(rounds_to_tell(0.01, 0.02), 6);
  EXPECT_EQ(rounds_to_tell(0.0198, 0.02), 16);
  EXPECT_EQ(rounds_to_tell(0.0221, 0.05), 5);
  EXPECT_EQ(rounds_to_tell(0.03, 0.01), 121);
  EXPECT_EQ(rounds_to_tell(0, 0.02), 3);
  EXPECT_EQ(rounds_to_tell(0.2, 0.005), std::nullopt);
}

}  // namespace
}  // namespace ngb::metrics
