// SPDX-License-Identifier: Apache-2.0
#include "agent/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ngb::agent {
namespace {

using Cells = std::set<int>;

work::Protocol until(work::Until until, int max = 15) {
  work::Protocol protocol;
  protocol.rounds = work::Rounds{.max = max, .until = until};
  return protocol;
}
const work::Protocol kDecided = until(work::Until::decided);
const work::Protocol kAgainstBaseline = until(work::Until::decided_against_baseline);
const std::vector<work::Question> kOneAndTwoAgainstZero{{1, 0}, {2, 0}};

// A cell with one repetition in each round.
CellSoFar cell(int index, const std::vector<double>& speeds) {
  CellSoFar so_far{.cell_index = index};
  for (std::size_t round = 0; round < speeds.size(); ++round) so_far.speeds[static_cast<int>(round)] = {speeds[round]};
  return so_far;
}

Cells cells_of(int round, const std::vector<CellSoFar>& cells, const std::vector<work::Question>& asked,
               const work::Protocol& protocol) {
  return next_round(round, cells, asked, protocol, 0.05).cells;
}

// 100 against 150 and against 100.4, with 0.1 % of noise.
const CellSoFar kBaseline = cell(0, {100.0, 100.1, 99.9});
const CellSoFar kFaster = cell(1, {150.1, 150.0, 149.9});
const CellSoFar kEqual = cell(2, {100.4, 100.4, 100.4});

TEST(NextRound, MeasuresEveryCellInTheFirstThreeRounds) {
  EXPECT_EQ(cells_of(0, {cell(0, {}), cell(1, {})}, {}, kDecided), (Cells{0, 1}));
  EXPECT_EQ(cells_of(2, {kBaseline, kFaster}, {{1, 0}}, kDecided), (Cells{0, 1}));
}

TEST(NextRound, NeedsNoCellOnceEachIsToldApartFromTheBaselineOrIsTheSame) {
  EXPECT_EQ(cells_of(3, {kBaseline, kFaster, kEqual}, kOneAndTwoAgainstZero, kAgainstBaseline), Cells{});
}

TEST(NextRound, NeedsBothSidesOfAnOpenQuestion) {
  const CellSoFar noisy = cell(2, {90, 100, 125});
  EXPECT_EQ(cells_of(3, {kBaseline, kFaster, noisy}, kOneAndTwoAgainstZero, kAgainstBaseline), (Cells{0, 2}));
}

// Cells 1 and 2 are both twice as fast as the baseline, and differ by less than their noise of 5 %.
TEST(NextRound, NeedsTheTwoFastestUntilTheyAreToldApart) {
  const std::vector<CellSoFar> cells{kBaseline, cell(1, {200, 210, 220}), cell(2, {210, 220, 200})};
  EXPECT_EQ(cells_of(3, cells, kOneAndTwoAgainstZero, kDecided), (Cells{1, 2}));
  EXPECT_EQ(cells_of(3, cells, kOneAndTwoAgainstZero, kAgainstBaseline), Cells{});
}

TEST(NextRound, LooksForTheTwoFastestOfEachLoad) {
  CellSoFar loaded = cell(3, {100, 105, 110});
  loaded.load_index = 1;
  CellSoFar other = cell(4, {105, 110, 100});
  other.load_index = 1;
  const std::vector<CellSoFar> cells{cell(0, {300, 300.1, 299.9}), cell(1, {200, 200.1, 199.9}), loaded, other};
  EXPECT_EQ(cells_of(3, cells, {}, kDecided), (Cells{3, 4}));
}

TEST(NextRound, ComparesRoundsThatHoldBothSidesOnly) {
  CellSoFar lost_a_round = kFaster;
  lost_a_round.speeds.erase(1);
  EXPECT_EQ(cells_of(3, {kBaseline, lost_a_round}, {{1, 0}}, kAgainstBaseline), (Cells{0, 1}));
}

TEST(NextRound, LooksAtEarlierRoundsOnlySoThatItDecidesTheSameAfterARestart) {
  CellSoFar later = kFaster;
  later.speeds[3] = {1.0};
  CellSoFar baseline_later = kBaseline;
  baseline_later.speeds[3] = {100.0};
  EXPECT_EQ(cells_of(3, {baseline_later, later}, {{1, 0}}, kAgainstBaseline), Cells{});
}

TEST(NextRound, AsksNothingOfACellThatHasFailed) {
  CellSoFar failed = cell(1, {});
  failed.has_failed = true;
  EXPECT_EQ(cells_of(3, {kBaseline, failed}, {{1, 0}}, kDecided), Cells{});
}

TEST(NextRound, EndsTheRoundsOfACellOfWhichNothingIsAsked) {
  EXPECT_EQ(cells_of(3, {cell(0, {100, 120, 80})}, {}, kDecided), Cells{});
}

// The second repetition of cell 1 is three times as slow. Cell 0 has one repetition, so only the first ones count.
TEST(NextRound, ComparesEquallyManyRepetitions) {
  CellSoFar two_each = kFaster;
  for (auto& [round, speeds] : two_each.speeds) speeds.push_back(round == 1 ? 10 : 50);
  EXPECT_EQ(cells_of(3, {kBaseline, two_each}, {{1, 0}}, kAgainstBaseline), Cells{});
}

// Log ratios 0.20, 0.25, 0.30: the half width would be 6.03 · 0.05 / 2 = 0.151 after 4 rounds (sequential_test).
TEST(NextRound, EstimatesHowManyRoundsAreLeft) {
  const CellSoFar other = cell(1, {100 * std::exp(0.20), 100 * std::exp(0.25), 100 * std::exp(0.30)});
  EXPECT_EQ(next_round(3, std::vector{cell(0, {100, 100, 100}), other}, std::vector<work::Question>{{1, 0}},
                       kAgainstBaseline, 0.05)
                .rounds_left,
            1);
  EXPECT_EQ(next_round(1, std::vector{kBaseline}, {}, kDecided, 0.05).rounds_left, 2);
}

TEST(NextRound, OfAFixedNumberOfRoundsNeedsEveryCell) {
  work::Protocol fixed;
  fixed.processes = 5;
  const NextRound next = next_round(4, std::vector{kBaseline, kFaster}, {}, fixed, 0.05);
  EXPECT_EQ(next.cells, (Cells{0, 1}));
  EXPECT_EQ(next.rounds_left, 1);
}

}  // namespace
}  // namespace ngb::agent
