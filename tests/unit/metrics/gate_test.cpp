// SPDX-License-Identifier: Apache-2.0
#include "metrics/gate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ngb::metrics {
namespace {

ComparedPair judged(statistics::Verdict verdict, double ratio) {
  ComparedPair pair;
  pair.judgement.verdict = verdict;
  pair.judgement.contrast.estimate = std::log(ratio);
  return pair;
}

ComparedPair with_status(PairStatus status) {
  ComparedPair pair;
  pair.status = status;
  return pair;
}

Comparison of(std::vector<ComparedPair> pairs) { return {.pairs = std::move(pairs)}; }

TEST(Gate, FailsOnlyIfACellIsShownToBeSlowerAndBeyondTheThreshold) {
  // A candidate whose inferences take 3 % longer has 1 / 1.03 = 0.9709 of the speed.
  EXPECT_EQ(gate(of({judged(statistics::Verdict::slower, 0.9708)}), {}).outcome, GateOutcome::failed);
  const Comparison tolerated = of({judged(statistics::Verdict::slower, 0.9710)});
  EXPECT_EQ(gate(tolerated, {}).outcome, GateOutcome::passed);
  EXPECT_EQ(gate(tolerated, {}).tolerated, 1U);
  EXPECT_EQ(gate(tolerated, {.slower_ratio = 0}).outcome, GateOutcome::failed);
}

TEST(Gate, IsUndecidedAndNotPassedIfNothingIsDecided) {
  const ComparedPair open = judged(statistics::Verdict::undecided, 0.5);
  EXPECT_EQ(gate(of({open}), {}).outcome, GateOutcome::undecided);
  EXPECT_EQ(gate(of({open, judged(statistics::Verdict::same, 1)}), {}).outcome, GateOutcome::passed);
}

TEST(Gate, FailsOnNewFailuresAndNewlyWrongOutputs) {
  const Gate failed = gate(of({judged(statistics::Verdict::same, 1), with_status(PairStatus::newly_failed)}), {});
  EXPECT_EQ(failed.outcome, GateOutcome::failed);
  EXPECT_EQ(failed.newly_failed, 1U);
  const Gate inaccurate =
      gate(of({judged(statistics::Verdict::same, 1), with_status(PairStatus::newly_inaccurate)}), {});
  EXPECT_EQ(inaccurate.outcome, GateOutcome::failed);
  EXPECT_EQ(inaccurate.newly_inaccurate, 1U);
}

TEST(Gate, FailsOnAVariantThatAgreesLess) {
  const Gate fell = gate(of({judged(statistics::Verdict::same, 1), with_status(PairStatus::agreement_fell)}), {});
  EXPECT_EQ(fell.outcome, GateOutcome::failed);
  EXPECT_EQ(fell.agreement_fell, 1U);
}

TEST(Gate, IsUndecidedOnlyIfAskedAndNothingIsWorse) {
  const Comparison comparison = of({judged(statistics::Verdict::undecided, 0.9), judged(statistics::Verdict::same, 1)});
  EXPECT_EQ(gate(comparison, {}).outcome, GateOutcome::passed);
  EXPECT_EQ(gate(comparison, {.fails_if_undecided = true}).outcome, GateOutcome::undecided);
  Comparison slower = comparison;
  slower.pairs.push_back(judged(statistics::Verdict::slower, 0.8));
  EXPECT_EQ(gate(slower, {.fails_if_undecided = true}).outcome, GateOutcome::failed);
}

TEST(Gate, CountsUnmeasuredCellsAndThoseWithoutAPartnerAsUndecided) {
  Comparison comparison = of({judged(statistics::Verdict::same, 1), with_status(PairStatus::not_measured_yet)});
  comparison.baseline_only = 2;
  EXPECT_EQ(gate(comparison, {.fails_if_undecided = true}).undecided, 3U);
}

TEST(Gate, NeverFailsOnThePairOfASameBuild) {
  ComparedPair pair = judged(statistics::Verdict::slower, 0.5);
  pair.is_same_build = true;
  EXPECT_EQ(gate(of({pair}), {.fails_if_undecided = true}).outcome, GateOutcome::passed);
}

TEST(Gate, JudgesNothingIfNoPairHasASpeedOnBothSides) {
  EXPECT_EQ(gate(of({with_status(PairStatus::both_failed), with_status(PairStatus::newly_measured)}), {}).outcome,
            GateOutcome::nothing_judged);
}

}  // namespace
}  // namespace ngb::metrics
