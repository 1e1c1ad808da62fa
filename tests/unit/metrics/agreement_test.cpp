// SPDX-License-Identifier: Apache-2.0
#include "metrics/agreement.h"

#include <gtest/gtest.h>

#include "made_up_cells.h"
#include "metrics/comparison.h"
#include "metrics/gate.h"

namespace ngb::metrics {
namespace {

using made_up::value_of;
using samples::InputAgreement;
using store::CellData;

// A variant of made_up's model, with this speed and this agreement in its first process.
CellData variant(const std::string& compiler, double time_ms, std::vector<InputAgreement> inputs) {
  CellData cell = made_up::cell_of(compiler, 1, {made_up::process(0, {time_ms}), made_up::process(1, {time_ms})});
  cell.cell_id = compiler + "-cheap";
  cell.of.model.label = "cheap";
  cell.of.model.key.hash = "c0ffee";
  cell.of.model.variant_of = "resnet18";
  cell.of.model.exact_hash = "feedface";
  cell.processes[0].agreement = std::move(inputs);
  return cell;
}

CellData exact(const std::string& compiler, double time_ms) {
  return made_up::cell_of(compiler, 1, {made_up::process(0, {time_ms}), made_up::process(1, {time_ms})});
}

// So many inputs that are decided alike, then the others.
std::vector<InputAgreement> decided(int alike, int others) {
  std::vector<InputAgreement> inputs(static_cast<std::size_t>(alike), {true, 30, 0.99, 0.5});
  inputs.resize(static_cast<std::size_t>(alike + others), {false, 10, 0.89, 1.5});
  return inputs;
}

// 9 of 10: Wilson's interval is that of proportion_test.cpp. (9 · 30 + 10) / 10 = 28 dB.
TEST(AgreementMetrics, AreMeansOverInputsWithIntervals) {
  const std::vector<CellData> cells{variant("fast", 10, decided(9, 1))};
  const auto top1 = value_of(cells, "fast-cheap", "top1_agreement_ratio");
  EXPECT_EQ(top1.value, 0.9);
  EXPECT_NEAR(*top1.low, 0.59585, 1e-5);
  EXPECT_NEAR(*top1.high, 0.98212, 1e-5);
  EXPECT_EQ(value_of(cells, "fast-cheap", "agreement_ratio").value, 0.9);
  const auto sqnr = value_of(cells, "fast-cheap", "sqnr_db");
  EXPECT_DOUBLE_EQ(*sqnr.value, 28);
  EXPECT_NEAR(*sqnr.high - *sqnr.value, 2.262157 * 2, 1e-5);  // t of 9 degrees, standard error 6.3246 / √10
  EXPECT_NEAR(*value_of(cells, "fast-cheap", "cosine_ratio").value, 0.98, 1e-12);
  EXPECT_NEAR(*value_of(cells, "fast-cheap", "input_error_mean").value, 0.6, 1e-12);
  EXPECT_EQ(value_of(cells, "fast-cheap", "agreement_input_count").value, 10);
}

TEST(AgreementMetrics, AreOfTheCosineWhereNoOutputHasClasses) {
  const std::vector<CellData> cells{
      variant("fast", 10, {{std::nullopt, 20, 0.9, 1}, {std::nullopt, std::nullopt, 1.0, 0.0}})};
  EXPECT_DOUBLE_EQ(*value_of(cells, "fast-cheap", "agreement_ratio").value, 0.95);
  EXPECT_EQ(value_of(cells, "fast-cheap", "top1_agreement_ratio").reason, "no output has classes");
  EXPECT_EQ(value_of(cells, "fast-cheap", "sqnr_db").value, 20);  // the equal outputs have none
}

TEST(AgreementMetrics, AreUnknownOfAnExactModelAndOfEqualOutputs) {
  const std::vector<CellData> cells{exact("fast", 10), variant("fast", 10, {{true, std::nullopt, 1.0, 0.0}})};
  EXPECT_EQ(value_of(cells, "fast-1", "agreement_ratio").reason, "an exact model");
  EXPECT_EQ(value_of(cells, "fast-cheap", "sqnr_db").reason, "the outputs are equal for every input");
}

TEST(AgreementMetrics, OfAVariantThatAgreedTooLittleAreKnown) {
  CellData cell = variant("fast", 10, {});
  cell.processes.clear();
  cell.failed = {made_up::failure(0, samples::FailureKind::disagrees)};
  cell.failed[0].agreement = decided(1, 3);
  EXPECT_EQ(value_of({cell}, "fast-cheap", "agreement_ratio").value, 0.25);
}

// One of four inputs has no finite score: no number of the others stands for the cell.
TEST(AgreementMetrics, OfACellWithAnInputThatIsNotFiniteAreNoNumbers) {
  std::vector<InputAgreement> inputs = decided(3, 0);
  inputs.push_back({.decides_alike = true, .max_absolute_error = 0, .is_not_finite = true});
  const std::vector<CellData> cells{variant("fast", 10, inputs)};
  for (const char* const name :
       {"agreement_ratio", "top1_agreement_ratio", "sqnr_db", "cosine_ratio", "input_error_mean"}) {
    EXPECT_FALSE(value_of(cells, "fast-cheap", name).value) << name;
    EXPECT_EQ(value_of(cells, "fast-cheap", name).reason, "not finite: 1 of 4 inputs have no finite score") << name;
  }
  EXPECT_EQ(value_of(cells, "fast-cheap", "agreement_input_count").value, 4);
  EXPECT_EQ(value_of(cells, "fast-cheap", "flag_not_finite").value, 1);
}

TEST(Accuracy, OfACellWithAnInputThatIsNotFiniteIsNoNumber) {
  CellData cell = exact("fast", 10);
  cell.processes[0].agreement.assign(2, {.label_rank = 1});
  cell.processes[0].agreement[1].is_not_finite = true;
  EXPECT_FALSE(value_of({cell}, "fast-1", "top1_accuracy_ratio").value);
  EXPECT_EQ(value_of({cell}, "fast-1", "top5_accuracy_ratio").reason, "not finite: 1 of 2 inputs have no finite score");
}

TEST(Accuracy, IsTheShareOfInputsWhoseLabelIsAmongTheHighestScores) {
  CellData cell = exact("fast", 10);
  cell.processes[0].agreement.resize(10);
  for (int i = 0; i < 10; ++i) cell.processes[0].agreement[static_cast<std::size_t>(i)].label_rank = i < 9 ? i + 1 : 1;
  EXPECT_EQ(value_of({cell}, "fast-1", "top1_accuracy_ratio").value, 0.2);  // ranks 1 … 9 and 1
  EXPECT_EQ(value_of({cell}, "fast-1", "top5_accuracy_ratio").value, 0.6);
  EXPECT_EQ(value_of({cell}, "fast-1", "agreement_ratio").reason, "an exact model");
  EXPECT_EQ(value_of({exact("fast", 10)}, "fast-1", "top1_accuracy_ratio").reason, "the study gives no labels");
}

// The exact model takes 40 ms in the identity and 20 ms in the compiler, the variant 5 ms.
TEST(SpeedUpsOfAVariant, AreOverTheExactModelsIdentityAndOverTheExactModelInTheSameCompiler) {
  const std::vector<CellData> cells{exact("identity", 40), exact("fast", 20), variant("identity", 50, {}),
                                    variant("fast", 5, {})};
  EXPECT_NEAR(*value_of(cells, "fast-cheap", "speed_up_ratio").value, 8, 1e-9);
  EXPECT_NEAR(*value_of(cells, "fast-cheap", "speed_up_over_exact_ratio").value, 4, 1e-9);
  EXPECT_NEAR(*value_of(cells, "identity-cheap", "speed_up_ratio").value, 0.8, 1e-9);
  EXPECT_EQ(value_of(cells, "fast-1", "speed_up_over_exact_ratio").reason, "an exact model");
  EXPECT_NEAR(*value_of(cells, "fast-1", "speed_up_ratio").value, 2, 1e-9);
}

TEST(AgreementFell, IfTheIntervalOfTheDifferenceIsBelowZero) {
  const CellData before = variant("fast", 10, decided(64, 0));
  EXPECT_TRUE(agreement_fell(before, variant("fast", 10, decided(54, 10))));
  EXPECT_FALSE(agreement_fell(before, variant("fast", 10, decided(63, 1))));  // one input of 64 may be chance
  EXPECT_FALSE(agreement_fell(variant("fast", 10, decided(54, 10)), before));
  EXPECT_FALSE(agreement_fell(before, variant("fast", 10, decided(30, 2))));  // other inputs
}

// Returns the pair of two variants by this metric; the later version has the second list of inputs.
ComparedPair pair_by(const char* metric, std::vector<InputAgreement> before, std::vector<InputAgreement> after) {
  CellData old_one = variant("fast", 10, std::move(before));
  CellData new_one = variant("fast", 10, std::move(after));
  new_one.of.compiler.version = "2.0";
  const std::vector<Judged> judged{*parse_judged(metric, 0.03)};
  const auto found = compare({{&old_one}, &old_one}, {{&new_one}, &new_one}, Axis::version, {}, judged);
  return found->pairs.at(0);
}

TEST(Agreement, IsJudgedInputByInputByItsOwnMargin) {
  const ComparedPair fallen = pair_by("agreement_ratio", decided(64, 0), decided(54, 10));
  EXPECT_EQ(fallen.status, PairStatus::judged);
  EXPECT_EQ(fallen.judgement.verdict, statistics::Verdict::slower);  // worse
  EXPECT_NEAR(fallen.judgement.contrast.estimate, -10.0 / 64, 1e-12);
  EXPECT_EQ(fallen.rounds, 64U);
  EXPECT_EQ(*fallen.candidate_value, 54.0 / 64);
  EXPECT_EQ(pair_by("agreement_ratio", decided(64, 0), decided(64, 0)).judgement.verdict, statistics::Verdict::same);
  EXPECT_EQ(pair_by("agreement_ratio", decided(64, 0), decided(63, 1)).judgement.verdict,
            statistics::Verdict::undecided);  // one input of 64 may be chance
  EXPECT_EQ(pair_by("agreement_ratio:10%", decided(64, 0), decided(63, 1)).judgement.verdict,
            statistics::Verdict::same);
  EXPECT_EQ(pair_by("cosine_ratio", decided(64, 0), decided(54, 10)).judgement.verdict, statistics::Verdict::slower);
}

TEST(Agreement, ThatIsJudgedByItsMarginLetsAGatePassWithinIt) {
  const auto is_stopped = [](const char* by) {
    return is_regression(pair_by(by, decided(64, 0), decided(54, 10)), GateRules{});
  };
  EXPECT_TRUE(is_stopped("agreement_ratio"));
  EXPECT_TRUE(is_stopped("agreement_ratio:15%"));
  EXPECT_FALSE(is_stopped("agreement_ratio:16%"));
  EXPECT_TRUE(is_stopped("timed_peak_bytes")) << "by any other metric, an agreement that fell is a regression";
}

TEST(Agreement, OfInputsThatAreNotFiniteIsNotJudgedButHasFallen) {
  std::vector<InputAgreement> broken = decided(64, 0);
  broken[0].is_not_finite = true;
  EXPECT_EQ(pair_by("agreement_ratio", decided(64, 0), std::move(broken)).status, PairStatus::agreement_fell);
}

TEST(AgreementFell, WhereTheCandidateIsNotFinite) {
  const CellData before = variant("fast", 10, decided(64, 0));
  std::vector<InputAgreement> inputs = decided(64, 0);
  inputs[7].is_not_finite = true;
  const CellData after = variant("fast", 10, inputs);
  EXPECT_TRUE(agreement_fell(before, after));
  EXPECT_FALSE(agreement_fell(after, before));
  EXPECT_FALSE(agreement_fell(after, after));
}

TEST(AgreementFell, ByMoreThanOneHundredthOnly) {
  const auto of_cosine = [](double first) {
    return variant("fast", 10, {{std::nullopt, 20, first, 1}, {std::nullopt, 20, first - 0.0001, 1}});
  };
  EXPECT_FALSE(agreement_fell(of_cosine(1), of_cosine(0.9996)));
  EXPECT_TRUE(agreement_fell(of_cosine(1), of_cosine(0.98)));
}

TEST(AgreementFell, IsTheStatusOfAPairWhoseCandidateAgreesLess) {
  const std::vector<CellData> before{variant("fast", 10, decided(64, 0)), variant("slow", 10, decided(64, 0))};
  std::vector<CellData> after{variant("fast", 10, decided(32, 32)), variant("slow", 10, {})};
  after[1].processes.clear();
  after[1].failed = {made_up::failure(0, samples::FailureKind::disagrees)};
  const auto found = compare({{&before[0], &before[1]}, &before}, {{&after[0], &after[1]}, &after}, Axis::results, {});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->pairs[0].status, PairStatus::agreement_fell);
  EXPECT_EQ(found->pairs[1].status, PairStatus::agreement_fell);
}

}  // namespace
}  // namespace ngb::metrics
