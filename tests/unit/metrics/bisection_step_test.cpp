// SPDX-License-Identifier: Apache-2.0
#include "metrics/bisection_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "made_up_cells.h"

namespace ngb::metrics {
namespace {

using samples::FailureKind;

// A comparison of two versions with one pair for each batch size: 1, 2, …
class TwoVersions {
 public:
  // Adds a judged pair whose interval is the ratio ± this share.
  TwoVersions& add(statistics::Verdict verdict, double ratio, double share = 0.01) {
    ComparedPair& pair = add(PairStatus::judged);
    pair.judgement.verdict = verdict;
    pair.judgement.adjusted_p = 0.5;
    pair.judgement.contrast.estimate = std::log(ratio);
    pair.judgement.contrast.interval =
        statistics::Interval{std::log(ratio * (1 - share)), std::log(ratio * (1 + share))};
    return *this;
  }
  TwoVersions& fail(PairStatus status, FailureKind kind) {
    ComparedPair& pair = add(status);
    cells_.back()->failed = {made_up::failure(0, kind)};
    pair.candidate = cells_.back().get();
    return *this;
  }
  ComparedPair& add(PairStatus status) {
    cells_.push_back(std::make_unique<store::CellData>(
        made_up::cell("onnxruntime", static_cast<int>(comparison_.pairs.size()) + 1)));
    ComparedPair pair;
    pair.baseline = pair.candidate = cells_.back().get();
    pair.status = status;
    comparison_.pairs.push_back(pair);
    return comparison_.pairs.back();
  }
  ComparedPair& pair(std::size_t index) { return comparison_.pairs[index]; }

  [[nodiscard]] BisectionStep judged_for(Fault fault, std::set<std::string> cells = {}) const {
    return judge_step(comparison_, {.fault = fault, .cells = std::move(cells)});
  }
  [[nodiscard]] Finding finding(Fault fault) const { return judged_for(fault).finding; }

 private:
  Comparison comparison_;
  std::vector<std::unique_ptr<store::CellData>> cells_;
};

TEST(BisectionStep, IsBadIfACellIsShownToBeSlowerBeyondTheThreshold) {
  // A version whose inferences take 3 % longer has 1 / 1.03 = 0.9709 of the speed.
  EXPECT_EQ(
      TwoVersions().add(statistics::Verdict::same, 1).add(statistics::Verdict::slower, 0.9708).finding(Fault::slower),
      Finding::bad);
  EXPECT_EQ(
      TwoVersions().add(statistics::Verdict::same, 1).add(statistics::Verdict::slower, 0.9710).finding(Fault::slower),
      Finding::good);
  EXPECT_EQ(TwoVersions().add(statistics::Verdict::faster, 2).finding(Fault::slower), Finding::good);
}

TEST(BisectionStep, IsGoodWithAnUndecidedRatioOnlyIfItsIntervalIsAboveTheThreshold) {
  EXPECT_EQ(TwoVersions().add(statistics::Verdict::undecided, 1.03, 0.05).finding(Fault::slower),
            Finding::good);  // [0.979, 1.08]
  EXPECT_EQ(TwoVersions().add(statistics::Verdict::undecided, 1.01, 0.05).finding(Fault::slower),
            Finding::undecided);  // [0.960, …
  TwoVersions few;
  few.add(statistics::Verdict::undecided, 1.03, 0.05)
      .pair(0)
      .judgement.adjusted_p.reset();  // a verdict needs more rounds
  EXPECT_EQ(few.finding(Fault::slower), Finding::undecided);
}

TEST(BisectionStep, OfASearchForAFasterVersionIsJudgedInTheOtherDirection) {
  EXPECT_EQ(
      TwoVersions().add(statistics::Verdict::same, 1).add(statistics::Verdict::faster, 1.031).finding(Fault::faster),
      Finding::bad);
  EXPECT_EQ(
      TwoVersions().add(statistics::Verdict::same, 1).add(statistics::Verdict::faster, 1.029).finding(Fault::faster),
      Finding::good);
  EXPECT_EQ(TwoVersions().add(statistics::Verdict::slower, 0.5).finding(Fault::faster), Finding::good);
  EXPECT_EQ(TwoVersions().add(statistics::Verdict::undecided, 0.97, 0.05).finding(Fault::faster),
            Finding::good);  // [0.922, 1.019]
  EXPECT_EQ(TwoVersions().add(statistics::Verdict::undecided, 1.01, 0.05).finding(Fault::faster),
            Finding::undecided);  // …, 1.06]
  EXPECT_EQ(TwoVersions().fail(PairStatus::newly_failed, FailureKind::crash).finding(Fault::faster), Finding::unusable);
  TwoVersions step;
  step.add(statistics::Verdict::faster, 2).add(statistics::Verdict::faster, 3).add(statistics::Verdict::faster, 2.5);
  EXPECT_EQ(step.judged_for(Fault::faster).decisive, &step.pair(1));
}

TEST(BisectionStep, ByAnotherMetricIsBadBeyondItsMargin) {
  const BisectionRules rules{.fault = Fault::worse, .by = *parse_judged("memory_growth_bytes_per_inference:1kB", 0.03)};
  const auto finding = [&rules](statistics::Verdict verdict, double bytes, double half_width) {
    Comparison comparison;
    const store::CellData cell = made_up::cell("onnxruntime", 1);
    ComparedPair& pair = comparison.pairs.emplace_back();
    pair.baseline = pair.candidate = &cell;
    pair.by = rules.by;
    pair.judgement.verdict = verdict;
    pair.judgement.adjusted_p = 0.5;
    pair.judgement.contrast.estimate = -bytes;  // less is better
    pair.judgement.contrast.interval = statistics::Interval{-bytes - half_width, -bytes + half_width};
    return judge_step(comparison, rules).finding;
  };
  EXPECT_EQ(finding(statistics::Verdict::slower, 1100, 10), Finding::bad);
  EXPECT_EQ(finding(statistics::Verdict::slower, 900, 10), Finding::good);
  EXPECT_EQ(finding(statistics::Verdict::undecided, 300, 600), Finding::good);       // …, 900]
  EXPECT_EQ(finding(statistics::Verdict::undecided, 300, 800), Finding::undecided);  // …, 1100]
  EXPECT_EQ(finding(statistics::Verdict::faster, -5000, 10), Finding::good);
}

TEST(BisectionStep, IsUndecidedIfACellIsNotMeasuredOrWasNeverQuiet) {
  for (const PairStatus status : {PairStatus::not_measured_yet, PairStatus::disturbed}) {
    TwoVersions step;
    step.add(statistics::Verdict::same, 1).add(status);
    EXPECT_EQ(step.finding(Fault::slower), Finding::undecided);
    EXPECT_EQ(step.finding(Fault::fails), Finding::undecided);
  }
}

TEST(BisectionStep, ThatCrashesFailsAndCannotBeSlowerOrInaccurate) {
  TwoVersions step;
  step.add(statistics::Verdict::same, 1).fail(PairStatus::newly_failed, FailureKind::crash);
  EXPECT_EQ(step.finding(Fault::fails), Finding::bad);
  EXPECT_EQ(step.finding(Fault::slower), Finding::unusable);
  EXPECT_EQ(step.finding(Fault::inaccurate), Finding::unusable);
}

TEST(BisectionStep, ThatIsInaccurateRunsAndCannotBeSlower) {
  TwoVersions step;
  step.add(statistics::Verdict::same, 1).fail(PairStatus::newly_inaccurate, FailureKind::inaccurate);
  EXPECT_EQ(step.finding(Fault::inaccurate), Finding::bad);
  EXPECT_EQ(step.finding(Fault::fails), Finding::good);
  EXPECT_EQ(step.finding(Fault::slower), Finding::unusable);
}

TEST(BisectionStep, IsUnusableIfTheVersionDoesNotLoadOrTheDeviceCannotMeasureIt) {
  for (const FailureKind kind :
       {FailureKind::import_error, FailureKind::toolchain_missing, FailureKind::disk_full, FailureKind::no_reference,
        FailureKind::no_device, FailureKind::no_profile, FailureKind::device_lost}) {
    TwoVersions step;
    step.fail(PairStatus::newly_failed, kind);
    EXPECT_EQ(step.finding(Fault::fails), Finding::unusable) << samples::name(kind);
  }
}

TEST(BisectionStep, IgnoresCellsInWhichTheBaselineFails) {
  TwoVersions step;
  step.fail(PairStatus::both_failed, FailureKind::crash).add(statistics::Verdict::same, 1);
  EXPECT_EQ(step.finding(Fault::fails), Finding::good);
  TwoVersions nothing;
  nothing.fail(PairStatus::both_failed, FailureKind::crash);
  EXPECT_EQ(nothing.finding(Fault::fails), Finding::unusable);
  EXPECT_TRUE(has_failed_baseline(*nothing.judged_for(Fault::fails).decisive));
}

TEST(BisectionStep, IsDecidedByTheWorstCellAndNamesAllBadOnes) {
  TwoVersions step;
  step.add(statistics::Verdict::slower, 0.9)
      .add(statistics::Verdict::slower, 0.5)
      .add(statistics::Verdict::undecided, 0.4, 0.9);
  const BisectionStep judged = step.judged_for(Fault::slower);
  EXPECT_EQ(judged.finding, Finding::bad);
  EXPECT_EQ(judged.decisive->candidate->of.model.key.batch, 2);
  EXPECT_EQ(judged.bad_cells, (std::set<std::string>{identity_of(step.pair(0)), identity_of(step.pair(1))}));
}

TEST(BisectionStep, CountsOnlyTheCellsThatAreAskedFor) {
  TwoVersions step;
  step.add(statistics::Verdict::slower, 0.5).add(statistics::Verdict::same, 1);
  const BisectionStep judged = step.judged_for(Fault::slower, {identity_of(step.pair(1))});
  EXPECT_EQ(judged.finding, Finding::good);
  EXPECT_EQ(judged.decisive->candidate->of.model.key.batch, 2);
}

TEST(BisectionStep, OfOneAndTheSameBuildIsGood) {
  TwoVersions step;
  step.add(statistics::Verdict::slower, 0.5).pair(0).is_same_build = true;
  EXPECT_EQ(step.finding(Fault::slower), Finding::good);
}

}  // namespace
}  // namespace ngb::metrics
