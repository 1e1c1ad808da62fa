// SPDX-License-Identifier: Apache-2.0
#include "agent/rounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ngb::agent {
namespace {

using Cells = std::set<int>;

const work::Rounds kDecided{.until = work::Until::decided};
const work::Rounds kAgainstBaseline{.until = work::Until::decided_against_baseline};
const std::vector<work::Question> kOneAndTwoAgainstZero{{1, 0}, {2, 0}};

// A cell of a compiler of its own, with one repetition in each round.
CellSoFar cell(int index, const std::vector<double>& speeds) {
  CellSoFar so_far{.cell_index = index, .compiler_index = index};
  for (std::size_t round = 0; round < speeds.size(); ++round) so_far.numbers[static_cast<int>(round)] = {speeds[round]};
  return so_far;
}

// In its first round it keeps the bounds this well.
CellSoFar keeping(CellSoFar so_far, const std::vector<double>& kept) {
  so_far.kept[0] = kept;
  return so_far;
}

Cells cells_of(int round, const std::vector<CellSoFar>& cells, const std::vector<work::Question>& asked,
               const work::Rounds& rounds) {
  return next_rounds(std::vector{GroupSoFar{cells, asked, round}}, rounds, {})[0].cells;
}

// 100 against 150 and against 100.4, with 0.1 % of noise.
const CellSoFar kBaseline = cell(0, {100.0, 100.1, 99.9});
const CellSoFar kFaster = cell(1, {150.1, 150.0, 149.9});
const CellSoFar kEqual = cell(2, {100.4, 100.4, 100.4});

TEST(NextRound, NeedsNoCellOnceEachIsToldApartFromTheBaselineOrIsTheSame) {
  EXPECT_EQ(cells_of(3, {kBaseline, kFaster, kEqual}, kOneAndTwoAgainstZero, kAgainstBaseline), Cells{});
}

TEST(NextRound, NeedsBothSidesOfAnOpenQuestion) {
  const CellSoFar noisy = cell(2, {90, 100, 125});
  EXPECT_EQ(cells_of(3, {kBaseline, kFaster, noisy}, kOneAndTwoAgainstZero, kAgainstBaseline), (Cells{0, 2}));
}

// Cells 1 and 2 are both twice as fast as the baseline, and differ by less than their noise of 5 %.
TEST(NextRound, NeedsThoseThatMayBeTheFastest) {
  const std::vector<CellSoFar> cells{kBaseline, cell(1, {200, 210, 220}), cell(2, {210, 220, 200})};
  EXPECT_EQ(cells_of(3, cells, kOneAndTwoAgainstZero, kDecided), (Cells{1, 2}));
  EXPECT_EQ(cells_of(3, cells, kOneAndTwoAgainstZero, kAgainstBaseline), Cells{});
}

// Cells 1, 2 and 3 differ by less than their noise; cell 4 is told slower than the fastest of them.
TEST(NextRound, NeedsEachCellThatIsNotToldSlowerThanTheFastest) {
  const std::vector<CellSoFar> cells{kBaseline, cell(1, {200, 203, 198}), cell(2, {203, 198, 200}),
                                     cell(3, {198, 200, 202}), cell(4, {150, 151, 149})};
  EXPECT_EQ(cells_of(3, cells, {}, kDecided), (Cells{1, 2, 3}));
}

TEST(NextRound, LooksForTheFastestOfEachLoad) {
  CellSoFar loaded = cell(3, {100, 105, 110});
  loaded.load_index = 1;
  CellSoFar other = cell(4, {105, 110, 100});
  other.load_index = 1;
  const std::vector<CellSoFar> cells{cell(0, {300, 300.1, 299.9}), cell(1, {200, 200.1, 199.9}), loaded, other};
  EXPECT_EQ(cells_of(3, cells, {}, kDecided), (Cells{3, 4}));
}

TEST(NextRound, ComparesRoundsThatHoldBothSidesOnly) {
  CellSoFar lost_a_round = kFaster;
  lost_a_round.numbers.erase(1);
  EXPECT_EQ(cells_of(3, {kBaseline, lost_a_round}, {{1, 0}}, kAgainstBaseline), (Cells{0, 1}));
}

TEST(NextRound, LooksAtEarlierRoundsOnlySoThatItDecidesTheSameAfterARestart) {
  CellSoFar later = kFaster;
  later.numbers[3] = {1.0};
  CellSoFar baseline_later = kBaseline;
  baseline_later.numbers[3] = {100.0};
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
  for (auto& [round, speeds] : two_each.numbers) speeds.push_back(round == 1 ? 10 : 50);
  EXPECT_EQ(cells_of(3, {kBaseline, two_each}, {{1, 0}}, kAgainstBaseline), Cells{});
}

// Log ratios 0.20, 0.25, 0.30. statistics/verdict_test has how many rounds a pair is said to need.
TEST(NextRound, EstimatesHowManyRoundsAreLeft) {
  const CellSoFar other = cell(1, {100 * std::exp(0.20), 100 * std::exp(0.25), 100 * std::exp(0.30)});
  const std::vector<work::Question> asked{{1, 0}};
  const std::vector<GroupSoFar> group{{{cell(0, {100, 100, 100}), other}, asked, 3}};
  // 4 rounds: t(1 - .00458, 3) + t(.8, 3) = 7.015 standard errors of .025 are .175, below the .25 that they differ by.
  EXPECT_EQ(next_rounds(group, kAgainstBaseline, {})[0].rounds_left, 1);
}

// Three rounds that happen to differ by nothing tell little where the same two compilers differ by 20 % from round to
// round on another model.
TEST(NextRound, JudgesAGroupByWhatIsKnownFromTheOthers) {
  const std::vector<work::Question> first{{1, 0}};
  const std::vector<work::Question> second{{3, 2}};
  CellSoFar other_baseline = cell(2, {100, 100, 100});
  other_baseline.compiler_index = 0;
  CellSoFar noisy = cell(3, {100, 130, 90});
  noisy.compiler_index = 1;
  const GroupSoFar quiet{{cell(0, {100, 100, 100}), cell(1, {108, 108.1, 107.9})}, first, 3};
  EXPECT_EQ(next_rounds(std::vector{quiet}, kAgainstBaseline, {})[0].cells, Cells{});
  const GroupSoFar other{{other_baseline, noisy}, second, 3};
  EXPECT_EQ(next_rounds(std::vector{quiet, other}, kAgainstBaseline, {})[0].cells, (Cells{0, 1}));
  noisy.compiler_index = 9;
  const GroupSoFar of_another_compiler{{other_baseline, noisy}, second, 3};
  EXPECT_EQ(next_rounds(std::vector{quiet, of_another_compiler}, kAgainstBaseline, {})[0].cells, Cells{});
}

// The calibration of a device is a floor here as in `ngb gate`.
TEST(NextRound, KnowsByHowMuchAQuietDeviceVaries) {
  EXPECT_EQ(cells_of(3, {kBaseline, kFaster}, {{1, 0}}, kAgainstBaseline), Cells{});
  const std::vector<work::Question> asked{{1, 0}};
  const std::vector<GroupSoFar> group{{{kBaseline, kFaster}, asked, 3}};
  EXPECT_EQ(next_rounds(group, kAgainstBaseline, {.quiet_deviation = 0.2})[0].cells, (Cells{0, 1}));
}

// Simulates a gate over eight models, of which the first is 8 % slower with the new version. A round differs by 2 %.
class SimulatedGate {
 public:
  explicit SimulatedGate(unsigned seed) : generator_(seed) {
    for (int model = 0; model < kModels; ++model) {
      CellSoFar baseline{.cell_index = 2 * model, .compiler_index = 0};
      CellSoFar candidate{.cell_index = 2 * model + 1, .compiler_index = 1};
      asked_.push_back({{2 * model + 1, 2 * model}});
      groups_.push_back({{baseline, candidate}, {}, 0});
    }
    for (int round = 0; round < 3; ++round) {
      for (int model = 0; model < kModels; ++model) measure(model);
    }
  }

  // Measures as a device does. Returns the rounds of the slower model.
  int run() {
    const statistics::VerdictRules rules{.adjustment = statistics::Adjustment::holm};
    for (bool is_open = true; is_open;) {
      is_open = false;
      for (int model = 0; model < kModels; ++model) {
        groups_[static_cast<std::size_t>(model)].asked = asked_[static_cast<std::size_t>(model)];
      }
      const std::vector<NextRound> next = next_rounds(groups_, kAgainstBaseline, rules);
      for (int model = 0; model < kModels; ++model) {
        const auto at = static_cast<std::size_t>(model);
        if (next[at].cells.empty() || groups_[at].round == kAgainstBaseline.max) continue;
        measure(model);
        is_open = true;
      }
    }
    return groups_[0].round;
  }

  // The mean log ratio of the slower model, in its standard deviations of the mean.
  [[nodiscard]] double distance() const {
    double sum = 0;
    const CellSoFar& baseline = groups_[0].cells[0];
    const CellSoFar& candidate = groups_[0].cells[1];
    for (const auto& [round, speeds] : baseline.numbers) sum += std::log(candidate.numbers.at(round)[0] / speeds[0]);
    return sum / std::sqrt(static_cast<double>(groups_[0].round)) / kDeviation;
  }

 private:
  static constexpr int kModels = 8;
  static constexpr double kDeviation = 0.02;

  void measure(int model) {
    GroupSoFar& group = groups_[static_cast<std::size_t>(model)];
    group.cells[0].numbers[group.round] = {100};
    group.cells[1].numbers[group.round] = {100 / (model == 0 ? 1.08 : 1) * std::exp(kDeviation * normal_(generator_))};
    ++group.round;
  }

  std::mt19937_64 generator_;
  std::normal_distribution<double> normal_{};
  std::vector<std::vector<work::Question>> asked_{};
  std::vector<GroupSoFar> groups_{};
};

// With all 15 rounds a slow-down of 8 % is 15 standard errors away, which no gate misses; so one that ends earlier must
// have seen it, and none is left open with rounds to spare. What is seen is told from the truth, not from the verdict:
// 5 standard errors, with the true deviation.
TEST(NextRound, MeasuresASlowerModelUntilItIsSeen) {
  int rounds = 0;
  for (unsigned study = 0; study < 100; ++study) {
    SimulatedGate gate(study);
    const int measured = gate.run();
    rounds += measured;
    EXPECT_LT(gate.distance(), -5) << "study " << study << ", " << measured << " rounds";
  }
  EXPECT_LT(rounds, 100 * 9) << "on average far fewer than 15";
}

// By a metric of which less is better, with 10 MB and 20 MB, cell 0 is the best; by their speed cell 1 would be.
TEST(NextRound, LooksForTheBestByTheMetricThatDecides) {
  const work::DecidedBy memory{.metric = "timed_peak_bytes", .margin = 0.05};
  const std::vector<CellSoFar> cells{cell(0, {10e6, 10.1e6, 9.9e6}), cell(1, {20e6, 20.1e6, 19.9e6}),
                                     cell(2, {10e6, 13e6, 8e6})};
  const std::vector<GroupSoFar> groups{GroupSoFar{cells, {}, 3}};
  EXPECT_EQ(next_rounds(groups, kDecided, {}, memory)[0].cells, (Cells{0, 2}));
  EXPECT_EQ(next_rounds(groups, kDecided, {})[0].cells, (Cells{1, 2}));  // more would be better
}

// Growths of 0 have no logarithm, and do not vary; 1,000 bytes are no 0 within 100.
TEST(NextRound, JudgesWhatMayBeZeroByItsDifference) {
  const work::DecidedBy growth{.metric = "memory_growth_bytes_per_inference", .is_difference = true, .margin = 100};
  const std::vector<work::Question> one_against_zero{{1, 0}};
  const auto needs = [&](const std::vector<double>& of_one) {
    const std::vector<CellSoFar> cells{cell(0, {0, 0, 0}), cell(1, of_one)};
    return next_rounds(std::vector{GroupSoFar{cells, one_against_zero, 3}}, kAgainstBaseline, {}, growth)[0].cells;
  };
  EXPECT_EQ(needs({0, 0, 0}), Cells{});
  EXPECT_EQ(needs({1000, 1001, 999}), Cells{});
  EXPECT_EQ(needs({10, -10, 0}), Cells{});
  EXPECT_EQ(needs({0, 400, -300}), (Cells{0, 1}));
}

const work::Rounds kOverModels{.min = 1, .over = work::Over::models};
const statistics::VerdictRules kEarly{.early_deviation = statistics::kEarlyDeviation};

// Model 1 with compiler 0 is the fastest after one round; that of half its speed is out, and so is the other compiler
// of the fastest model, about which nothing is asked.
TEST(NextRound, OverModelsLeavesOutAfterOneRoundWhatIsFarBehind) {
  const std::vector<GroupSoFar> groups{GroupSoFar{{cell(0, {95}), cell(1, {50})}, {}, 1},
                                       GroupSoFar{{cell(2, {100}), cell(3, {98})}, {}, 1},
                                       GroupSoFar{{cell(4, {30}), cell(5, {20})}, {}, 1}};
  const std::vector<NextRound> next = next_rounds(groups, kOverModels, kEarly);
  EXPECT_EQ(next[0].cells, (Cells{0}));
  EXPECT_EQ(next[1].cells, (Cells{2}));
  EXPECT_EQ(next[2].cells, Cells{});
}

TEST(NextRound, OverModelsDecidesNothingEarlyIfThreeRoundsAreAsked) {
  const work::Rounds three{.min = 3, .over = work::Over::models};
  const std::vector<GroupSoFar> groups{GroupSoFar{{cell(0, {100})}, {}, 1}, GroupSoFar{{cell(1, {30})}, {}, 1}};
  EXPECT_EQ(next_rounds(groups, three, kEarly)[1].cells, (Cells{1}));
}

// Memory varies in ways that are not assumed, so that three rounds are needed.
TEST(NextRound, OverModelsByAMetricWaitsForThreeRounds) {
  const work::DecidedBy memory{.metric = "timed_peak_bytes", .margin = 0.05};
  const auto needs = [&](const std::vector<double>& of_two) {
    const std::vector<GroupSoFar> groups{GroupSoFar{{cell(0, {10e6, 10.1e6, 9.9e6})}, {}, 3},
                                         GroupSoFar{{cell(1, of_two)}, {}, static_cast<int>(of_two.size())}};
    return next_rounds(groups, kOverModels, kEarly, memory)[1].cells;
  };
  EXPECT_EQ(needs({20e6, 20.1e6}), (Cells{1}));
  EXPECT_EQ(needs({20e6, 20.1e6, 19.9e6}), Cells{});
}

// 100 samples/s that save 9 bits each are more than 150 that save 5.
TEST(NextRound, OverModelsComparesWhatTheSamplesSave) {
  const work::DecidedBy saved{.metric = work::kSavedBits, .is_higher_better = true, .margin = 0.03};
  const std::vector<GroupSoFar> groups{
      GroupSoFar{{cell(0, {100})}, {}, 1, 1, 9}, GroupSoFar{{cell(1, {150})}, {}, 1, 1, 5},
      GroupSoFar{{cell(2, {400})}, {}, 1, 1, 1}, GroupSoFar{{cell(3, {500})}, {}, 1, 1, 0}};
  const std::vector<NextRound> next = next_rounds(groups, kOverModels, kEarly, saved);
  EXPECT_EQ(next[0].cells, (Cells{0}));
  EXPECT_EQ(next[1].cells, (Cells{1}));
  EXPECT_EQ(next[2].cells, Cells{}) << "400 bits/s of 900";
  EXPECT_EQ(next[3].cells, Cells{}) << "saves nothing";
}

// The one that saves most has a tenth of the samples/s that are asked for, so it neither leads nor goes on.
TEST(NextRound, OverModelsIsLedByOneThatIsFastEnough) {
  const work::DecidedBy saved{
      .metric = work::kSavedBits, .is_higher_better = true, .margin = 0.03, .bounds = {{work::kSpeed, true, 200}}};
  const std::vector<GroupSoFar> groups{GroupSoFar{{keeping(cell(0, {20}), {0.1})}, {}, 1, 1, 100},
                                       GroupSoFar{{keeping(cell(1, {400}), {2})}, {}, 1, 1, 3},
                                       GroupSoFar{{keeping(cell(2, {390}), {1.95})}, {}, 1, 1, 3}};
  const std::vector<NextRound> next = next_rounds(groups, kOverModels, kEarly, saved);
  EXPECT_EQ(next[0].cells, Cells{});
  EXPECT_EQ(next[1].cells, (Cells{1}));
  EXPECT_EQ(next[2].cells, (Cells{2}));
}

// At most 10 ms are asked, and 800 saved bits/s. The fastest takes 20 ms, and one does not say it; of the next two, in
// batches of 2, one saves 3 bits of a sample and the other 1.
TEST(NextRound, OverModelsKeepsBoundsOfOtherMetrics) {
  const work::DecidedBy speed{.is_higher_better = true,
                              .margin = 0.03,
                              .bounds = {{"latency_p50_s", false, 0.01}, {work::kSavedBits, true, 800}}};
  const auto group = [](int index, double per_s, double kept, double saved_bits) {
    return GroupSoFar{{keeping(cell(index, {per_s}), {kept, per_s / 800})}, {}, 1, 2, 1, saved_bits};
  };
  const std::vector<GroupSoFar> groups{group(0, 900, 0.5, 3), group(1, 800, 0, 3), group(2, 410, 2, 3),
                                       group(3, 400, 2, 3), group(4, 405, 2, 0.1)};
  const std::vector<NextRound> next = next_rounds(groups, kOverModels, kEarly, speed);
  EXPECT_EQ(next[0].cells, Cells{});
  EXPECT_EQ(next[1].cells, Cells{});
  EXPECT_EQ(next[2].cells, (Cells{2}));
  EXPECT_EQ(next[3].cells, (Cells{3}));
  EXPECT_EQ(next[4].cells, Cells{}) << "410 * 2 * 0.1 bits/s";
}

// Of an open pair only the model goes on that has had fewer rounds, until both have had the same ones.
TEST(NextRound, OverModelsLetsTheOneBehindCatchUp) {
  const std::vector<GroupSoFar> groups{GroupSoFar{{cell(0, {100, 101, 99, 100, 102})}, {}, 5},
                                       GroupSoFar{{cell(1, {99, 98})}, {}, 2}};
  const std::vector<NextRound> next = next_rounds(groups, kOverModels, kEarly);
  EXPECT_EQ(next[0].cells, Cells{});
  EXPECT_EQ(next[1].cells, (Cells{1}));
}

TEST(NextRound, OverModelsAsksNothingOfModelsAtOtherBatchSizes) {
  const std::vector<GroupSoFar> groups{GroupSoFar{{cell(0, {100})}, {}, 1, 1}, GroupSoFar{{cell(1, {99})}, {}, 1, 8}};
  const std::vector<NextRound> next = next_rounds(groups, kOverModels, kEarly);
  EXPECT_EQ(next[0].cells, Cells{});
  EXPECT_EQ(next[1].cells, Cells{});
}

// A process whose number is unknown leaves its question open, whatever the others say.
TEST(NextRound, LeavesOpenWhatIsUnknownOfAProcess) {
  const work::DecidedBy memory{.metric = "timed_peak_bytes", .margin = 0.05};
  CellSoFar unknown = cell(1, {20e6, 20.1e6, 19.9e6});
  unknown.numbers[1].clear();
  const std::vector<CellSoFar> cells{cell(0, {10e6, 10.1e6, 9.9e6}), unknown};
  const std::vector<work::Question> one_against_zero{{1, 0}};
  EXPECT_EQ(next_rounds(std::vector{GroupSoFar{cells, one_against_zero, 3}}, kAgainstBaseline, {}, memory)[0].cells,
            (Cells{0, 1}));
}

}  // namespace
}  // namespace ngb::agent
