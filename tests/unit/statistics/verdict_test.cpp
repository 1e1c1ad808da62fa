// SPDX-License-Identifier: Apache-2.0
// Expected values: scipy 1.17.1 (ttest_rel, Student's t) and statsmodels 0.15.0 (multipletests, ttost_paired).
#include "statistics/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ngb::statistics {
namespace {

const std::vector<double> kPs{0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205};

Question paired(const std::vector<double>& candidate, const std::vector<double>& baseline) {
  Part part;
  for (std::size_t i = 0; i < candidate.size(); ++i) part.values.push_back(std::log(candidate[i] / baseline[i]));
  return {part};
}

Question independent(const std::vector<double>& candidate, const std::vector<double>& baseline) {
  Question question{Part{{}, 1}, Part{{}, -1}};
  for (const double value : candidate) question[0].values.push_back(std::log(value));
  for (const double value : baseline) question[1].values.push_back(std::log(value));
  return question;
}

const std::vector<double> kBaseline{100.0, 104.0, 98.0, 101.0, 97.0};
const std::vector<double> kFaster{110.0, 113.0, 109.0, 108.0, 111.0};
const std::vector<double> kAlike{100.3, 104.2, 98.1, 101.2, 97.4};

TEST(MultipleTests, AdjustByHolmAsStatsmodelsDoes) {
  const std::vector<double> expected{0.008, 0.056, 0.234, 0.234, 0.234, 0.234, 0.234, 0.234};
  EXPECT_THAT(holm_adjusted(kPs), testing::Pointwise(testing::DoubleNear(1e-12), expected));
}

TEST(MultipleTests, AdjustByBenjaminiHochbergAsStatsmodelsDoes) {
  const std::vector<double> expected{0.008, 0.032, 0.0672, 0.0672, 0.0672, 0.08, 0.592 / 7, 0.205};
  EXPECT_THAT(benjamini_hochberg_adjusted(kPs), testing::Pointwise(testing::DoubleNear(1e-12), expected));
}

TEST(Verdict, IsFasterOrSlowerIfTheDifferenceIsSignificant) {
  const auto up = judge(std::vector<Question>{paired(kFaster, kBaseline)}, {});
  EXPECT_EQ(up[0].verdict, Verdict::faster);
  EXPECT_NEAR(up[0].adjusted_p.value(), 0.00104692698602, 1e-12);
  EXPECT_EQ(judge(std::vector<Question>{paired(kBaseline, kFaster)}, {})[0].verdict, Verdict::slower);
}

TEST(Verdict, OfIndependentProcessesUsesWelchsTest) {
  const auto found = judge(std::vector<Question>{independent(kFaster, kBaseline)}, {});
  EXPECT_EQ(found[0].verdict, Verdict::faster);
  EXPECT_NEAR(found[0].adjusted_p.value(), 0.000308073501746, 1e-12);
}

// Expected: scipy 1.17.1, 2 * norm.sf(log(2) / 0.14) = 7.4e-7 after one round; of all looks 1.2e-5 by the table of
// nominal rates, and twice the p value more.
TEST(Verdict, AfterOneRoundIsByADeviationThatIsAssumed) {
  const VerdictRules early{.early_deviation = 0.14};
  const auto judged = [&](const std::vector<double>& candidate, const std::vector<double>& baseline) {
    const std::vector<Context> looked_at{{.looked_at = 15}};
    return judge(std::vector<Question>{paired(candidate, baseline)}, early, looked_at)[0];
  };
  EXPECT_EQ(judged({200}, {100}).verdict, Verdict::faster);
  EXPECT_LT(judged({200}, {100}).adjusted_p.value(), 2e-5);
  EXPECT_EQ(judged({140}, {100}).verdict, Verdict::undecided) << "2.4 deviations";
  EXPECT_EQ(judged({140, 140}, {100, 100}).verdict, Verdict::faster) << "3.4 deviations of the mean";
  EXPECT_EQ(judge(std::vector<Question>{paired({200}, {100})}, {})[0].verdict, Verdict::undecided);
}

TEST(Verdict, IsTheSameOnlyIfTheIntervalIsWithinTheMargin) {
  // p = 0.0095 of "no difference" is not significant after Holm over two; the interval [1.0009, 1.0039] is within 3 %.
  const std::vector<Question> questions{paired(kAlike, kBaseline), paired(kAlike, kBaseline)};
  VerdictRules rules{.error_rate = 0.005, .adjustment = Adjustment::holm};
  EXPECT_EQ(judge(questions, rules)[0].verdict, Verdict::same);
  EXPECT_EQ(judge(questions, rules)[0].reason, "the interval excludes 1 and is within the margin");
  rules.margin_ratio = 0.001;
  EXPECT_EQ(judge(questions, rules)[0].verdict, Verdict::undecided);
}

TEST(Verdict, UndecidedSaysHowManyRoundsWouldDecide) {
  const std::vector<double> noisy{100, 112, 95, 109, 98};
  const auto found = judge(std::vector<Question>{paired(noisy, kBaseline)}, {});
  EXPECT_EQ(found[0].verdict, Verdict::undecided);
  EXPECT_EQ(found[0].reason, "the interval contains 1 and is wider than the margin");
  // Log ratios: mean .0259, sd .0475. 28 rounds: t(.975, 27) + t(.8, 27) = 2.907 standard errors are .0261; 29: .0256.
  EXPECT_EQ(found[0].rounds_needed, 29);
}

TEST(Verdict, NeedsThreeRounds) {
  const auto found =
      judge(std::vector<Question>{paired({60.0, 64.0}, {50.0, 51.0}), paired({60.0}, {50.0}), Question{}}, {});
  for (const Judgement& each : found) {
    EXPECT_EQ(each.verdict, Verdict::undecided);
    EXPECT_EQ(each.reason, "fewer than 3 rounds hold both sides");
    EXPECT_FALSE(each.adjusted_p);
  }
  EXPECT_TRUE(found[0].contrast.interval) << "two rounds have an interval all the same";
}

TEST(Verdict, OfDataWithoutVariationIsUndecidedUnlessTheDevicesDeviationIsKnown) {
  const std::vector<Question> questions{paired({101, 101, 101, 101, 101}, {100, 100, 100, 100, 100})};
  EXPECT_EQ(judge(questions, {})[0].verdict, Verdict::undecided);
  EXPECT_EQ(judge(questions, {})[0].reason, "no variation seen");
  const auto known = judge(questions, {.quiet_deviation = 0.01});
  EXPECT_NEAR(known[0].adjusted_p.value(), 0.0901138702718, 1e-12);  // t = log 1.01 / (0.01 / √5), 4 degrees
  EXPECT_EQ(known[0].verdict, Verdict::same);
}

// Three rounds whose log ratios have this mean and standard deviation.
Question rounds_of(double mean, double deviation) { return {Part{{mean - deviation, mean, mean + deviation}}}; }

// scipy: t = 0.1 / (0.02 / √3) with 2 degrees of freedom.
TEST(Verdict, AssumesNoSmallerDeviationThanIsUsualOfTheSameSides) {
  std::vector<Question> questions{rounds_of(0.1, 0), rounds_of(0, 0.02), rounds_of(0, 0.04)};
  EXPECT_NEAR(unadjusted_p_values(questions, {})[0].value(), 0.013072457560, 1e-10)
      << "the mean of 0, 0.02 and 0.04 is 0.02";
  questions[0] = rounds_of(0.1, 0.0001);
  EXPECT_EQ(judge(std::span(questions).first(1), {})[0].verdict, Verdict::faster) << "alone, it looks certain";
  questions[2] = rounds_of(0, 0.2);
  const auto found = judge(questions, {});
  EXPECT_EQ(found[0].verdict, Verdict::undecided);
  EXPECT_EQ(found[0].reason, "the interval excludes 1, but its rounds vary less than is usual of these compilers");
}

TEST(Verdict, LeavesTheNoisiestTenthOutOfWhatIsUsual) {
  std::vector<Question> questions(8, rounds_of(0, 0.02));
  questions.push_back(rounds_of(0.1, 0));
  questions.push_back(rounds_of(0, 3));
  // scipy: t = 0.1 / (0.16 / 9 / √3): eight times 0.02 and one 0.
  EXPECT_NEAR(unadjusted_p_values(questions, {})[8].value(), 0.010371370931, 1e-10);
}

TEST(Verdict, TakesWhatIsUsualFromNoOtherSides) {
  const std::vector<Question> questions{rounds_of(0.1, 0.0001), rounds_of(0, 0.2), rounds_of(0, 0.2)};
  const std::vector<Context> contexts{{.sides = "a over b"}, {.sides = "c over b"}, {.sides = "c over b"}};
  EXPECT_EQ(judge(questions, {})[0].verdict, Verdict::undecided);
  EXPECT_EQ(judge(questions, {}, contexts)[0].verdict, Verdict::faster);
  const std::vector<Question> welch{independent({110.0, 110.1, 109.9}, {100.0, 100.1, 99.9}), rounds_of(0, 0.2)};
  EXPECT_EQ(judge(welch, {})[0].verdict, Verdict::faster) << "rounds vary otherwise than the processes of a side";
}

TEST(Verdict, MultipliesAPValueByItsWeightBeforeItIsAdjusted) {
  const auto found =
      judge(std::vector<Question>{paired(kFaster, kBaseline)}, {}, std::vector<Context>{{.weight = 3.5}});
  EXPECT_NEAR(found[0].adjusted_p.value(), 3.5 * 0.00104692698602, 1e-12);
}

TEST(Verdict, UsesTheDevicesDeviationOnlyBelowEightCells) {
  // Nine cells whose rounds differ by 4 % have a floor of their own, so a calibrated floor of 50 % changes nothing.
  std::vector<Question> questions(8, paired({100, 104, 96, 103, 97}, {100, 100, 100, 100, 100}));
  questions.push_back(paired({150, 151, 150, 151, 150}, {100, 100, 100, 100, 100}));
  EXPECT_EQ(judge(questions, {.quiet_deviation = 0.5})[8].verdict, Verdict::faster);
  questions.erase(questions.begin(), questions.begin() + 2);  // seven are left
  EXPECT_EQ(judge(questions, {.quiet_deviation = 0.5})[6].verdict, Verdict::undecided);
  EXPECT_EQ(judge(questions, {})[6].verdict, Verdict::faster);
}

TEST(Verdict, OfManyCellsDropsAFindingThatChanceExplains) {
  // t = 3.16 with 4 degrees of freedom: p = 0.034 for the cell alone, which is no finding beside nine cells without a
  // difference.
  std::vector<Question> questions{paired({103, 101, 105, 104, 100.5}, {100, 100, 100, 100, 100})};
  EXPECT_EQ(judge(questions, {})[0].verdict, Verdict::faster);
  for (int i = 0; i < 9; ++i) questions.push_back(paired({100.1, 99, 102, 98, 101}, {100, 100, 100, 100, 100}));
  const auto found = judge(questions, {});
  EXPECT_EQ(found[0].verdict, Verdict::undecided);
  EXPECT_EQ(found[0].reason, "the interval excludes 1, but not after 10 comparisons");
  // Log ratios: mean .0265, sd .01874. The adjusted p is ten times p, so a single test has .005 left. 10 rounds:
  // t(.9975, 9) + t(.8, 9) = 4.573 standard errors are .0271; 11 rounds: 4.460, .0252.
  EXPECT_EQ(found[0].rounds_needed, 11);
}

// scipy: p is 0.00503, 0.00189 and 0.001047 after 3, 4 and 5 rounds. The least one stands for 0.0073 in all 13 looks
// together: on log axes between (0.00148, 0.01) and (0.000693, 0.005). t of one look at 0.00916: [1.0443, 1.1634].
TEST(Verdict, OfRoundsThatWereLookedAtAfterEachCountsAllLooks) {
  const auto found =
      judge(std::vector<Question>{paired(kFaster, kBaseline)}, {}, std::vector{Context{.looked_at = 15}});
  EXPECT_EQ(found[0].verdict, Verdict::faster);
  EXPECT_NEAR(found[0].adjusted_p.value(), 0.00728881514094806, 1e-9);
  EXPECT_NEAR(std::exp(found[0].contrast.interval->low), 1.0442522030688048, 1e-9);
  EXPECT_NEAR(std::exp(found[0].contrast.interval->high), 1.1633525200657633, 1e-9);
}

TEST(Verdict, KeepsWhatALookHasShownWhateverComesAfterIt) {
  std::vector<double> candidate{200, 201, 200};
  std::vector<double> baseline{100, 100, 100.1};
  for (const double later : {40.0, 500.0, 90.0}) {
    candidate.push_back(later);
    baseline.push_back(100);
  }
  const std::vector<Question> questions{paired(candidate, baseline)};
  EXPECT_EQ(judge(questions, {}, std::vector{Context{.looked_at = 15}})[0].verdict, Verdict::faster);
  EXPECT_EQ(judge(questions, {})[0].verdict, Verdict::undecided);
}

}  // namespace
}  // namespace ngb::statistics
