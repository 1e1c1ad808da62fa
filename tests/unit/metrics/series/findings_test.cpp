// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "made_up_series.h"
#include "metrics/series/claims.h"

namespace ngb::metrics::series {
namespace {

using made_up::analysis_of;
using made_up::around;
using made_up::cell_with;
using store::CellData;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Finding> findings_of(const std::vector<CellData>& cells) {
  const Analysis analysis = analysis_of(cells);
  return find_all(analysis, find_reversals(analysis));
}

std::vector<std::string> sentences_of(const std::vector<CellData>& cells, const std::string& kind) {
  std::vector<std::string> sentences;
  for (const Finding& finding : findings_of(cells)) {
    if (finding.kind == kind) sentences.push_back(finding.sentence);
  }
  return sentences;
}

// On four models, `fast` is twice as fast as the identity; `close` is its equal on the last.
std::vector<CellData> four_models() {
  std::vector<CellData> cells;
  for (int i = 0; i < 4; ++i) {
    const std::string model = fmt::format("model{}", i);
    cells.push_back(cell_with({.model = model}, around(100, {-0.01, 0.01, 0.005, 0, -0.005})));
    cells.push_back(cell_with({.model = model, .compiler = "fast"}, around(200, {0.01, 0.005, -0.01, 0.002, 0})));
    const double speed = i < 3 ? 150 : 199.5;
    cells.push_back(cell_with({.model = model, .compiler = "close"}, around(speed, {0.009, -0.01, 0, 0.01, 0.003})));
  }
  return cells;
}

TEST(Findings, NameTheFastestAndWhereItIsNotToldApart) {
  EXPECT_THAT(
      sentences_of(four_models(), "fastest"),
      ElementsAre("fast 1.0 is the fastest on 3 of 4 workloads on local; on 1 more it leads and is not told apart "
                  "from close 1.0."));
}

TEST(Findings, CountWhereACompilerIsFasterThanTheBaseline) {
  EXPECT_THAT(sentences_of(four_models(), "speed_up"),
              ElementsAre("fast 1.0 on local is faster than the identity on 4 of 4 workloads (2 times).",
                          "close 1.0 on local is faster than the identity on 4 of 4 workloads (1.5 to 2 times)."));
}

TEST(Findings, HaveTheRowsBehindThem) {
  const std::vector<Finding> findings = findings_of(four_models());
  const auto speed =
      std::find_if(findings.begin(), findings.end(), [](const Finding& each) { return each.kind == "speed_up"; });
  ASSERT_NE(speed, findings.end());
  ASSERT_EQ(speed->rows.size(), 4U);
  EXPECT_EQ(speed->rows[0].model, "model0");
  EXPECT_EQ(speed->rows[0].outcome, "faster");
  EXPECT_EQ(speed->rows[0].cell_ids, std::vector<std::string>{"local/model0/fast/1"});
  EXPECT_TRUE(speed->rows[0].value.low && speed->rows[0].adjusted_p);
}

TEST(Findings, SayNothingOfADifferenceWithOneProcess) {
  for (const Finding& finding : findings_of({cell_with({}, {100}), cell_with({.compiler = "fast"}, {200})})) {
    EXPECT_FALSE(finding.is_difference) << finding.sentence;
  }
}

TEST(Findings, NameFailuresToActOn) {
  std::vector<CellData> cells = four_models();
  cells[1].processes.clear();
  cells[1].failed = {made_up::failure(0, samples::FailureKind::crash)};
  const std::vector<Finding> findings = findings_of(cells);
  ASSERT_FALSE(findings.empty());
  EXPECT_TRUE(findings[0].is_to_act_on);
  EXPECT_EQ(findings[0].sentence, "fast 1.0 on local has no result on 1 of 4 workloads: crash (1).");
}

TEST(Findings, SayThatSomethingDiffersInAtMostOnePercentOfStudiesWithoutDifferences) {
  std::mt19937_64 random(20261124);
  int with_any = 0;
  for (int study = 0; study < 200; ++study) {
    const std::vector<Finding> findings = findings_of(made_up::study_without_differences(random));
    with_any += std::any_of(findings.begin(), findings.end(), [](const Finding& each) { return each.is_difference; });
  }
  EXPECT_LE(with_any, 2);
}

std::vector<std::string> statuses(const std::vector<CellData>& cells, const std::string& claim) {
  std::vector<std::string> found;
  const Analysis analysis = analysis_of(cells);
  for (const ClaimRow& row : test_claims(analysis)) {
    if (claim == row.claim->name) found.push_back(row.compiler + " " + std::string(name(row.status)));
  }
  return found;
}

// The speed-up at batch 8 is 1.2, that at batch 1 is `single`.
std::vector<CellData> two_batches(double single, double noise) {
  const std::vector<double> deviations{-noise, noise, noise / 2, 0};
  std::vector<CellData> cells;
  for (const auto& [batch, speed_up] : {std::pair{1, single}, {8, 1.2}}) {
    cells.push_back(cell_with({.batch = batch}, around(100 * batch, {0.001, 0, -0.001, 0.001})));
    cells.push_back(cell_with({.compiler = "fast", .batch = batch}, around(100 * batch * speed_up, deviations)));
  }
  return cells;
}

TEST(Claims, HoldOrDoNotHoldOrAreUndecided) {
  EXPECT_THAT(statuses(two_batches(2.0, 0.002), "small_batch_gains"), ElementsAre("fast 1.0 holds"));
  EXPECT_THAT(statuses(two_batches(0.9, 0.002), "small_batch_gains"), ElementsAre("fast 1.0 does_not"));
  EXPECT_THAT(statuses(two_batches(1.2, 0.002), "small_batch_gains"), ElementsAre("fast 1.0 does_not")) << "the same";
  EXPECT_THAT(statuses(two_batches(1.21, 0.0002), "small_batch_gains"), ElementsAre("fast 1.0 does_not"))
      << "0.992 is told to be below 1, but by less than 3 %";
  EXPECT_THAT(statuses(two_batches(1.3, 0.3), "small_batch_gains"), ElementsAre("fast 1.0 undecided"));
}

// Speed-ups of a convolutional model, a transformer and ConvNeXt.
std::vector<CellData> three_styles(const std::string& compiler, double resnet, double vit, double convnext) {
  std::vector<CellData> cells;
  for (const auto& [style, speed_up] :
       {std::pair{"convolutional", resnet}, {"transformer", vit}, {"hybrid", convnext}}) {
    cells.push_back(cell_with({.model = style, .style = style}, around(100, {0.001, 0, -0.001, 0.001})));
    cells.push_back(cell_with({.model = style, .compiler = compiler, .style = style},
                              around(100 * speed_up, {0.001, -0.001, 0, 0.0005})));
  }
  return cells;
}

// Why each row of the claim has no status or an undecided one.
std::vector<std::string> reasons(const std::vector<CellData>& cells, const std::string& claim) {
  std::vector<std::string> found;
  const Analysis analysis = analysis_of(cells);
  for (const ClaimRow& row : test_claims(analysis)) {
    if (claim == row.claim->name) found.push_back(row.value.reason);
  }
  return found;
}

TEST(Claims, SayWhyTheyAreUndecided) {
  EXPECT_THAT(reasons(two_batches(1.3, 0.3), "small_batch_gains"),
              ElementsAre("the interval contains 1 and is wider than the margin"));
  std::vector<CellData> one_in_part = two_batches(2.0, 0.002);
  one_in_part.back().processes.resize(2);
  EXPECT_THAT(reasons(one_in_part, "small_batch_gains"), ElementsAre("fewer than 3 rounds hold both sides"));
  EXPECT_THAT(reasons(two_batches(2.0, 0.002), "small_batch_gains"), ElementsAre("")) << "it holds";
  EXPECT_THAT(reasons(three_styles("fast", 1.5, 1.5, 1.2), "convnext_among_transformers"),
              ElementsAre("what the claim presupposes is not told"));
}

TEST(Claims, SayWhatWasNotMeasured) {
  EXPECT_THAT(statuses(two_batches(2, 0.002), "tvm_weak_on_transformers"), ElementsAre(" not_measured"));
  EXPECT_THAT(statuses(two_batches(2, 0.002), "convnext_among_transformers"), ElementsAre(" not_measured"));
  EXPECT_THAT(statuses(two_batches(2, 0.002), "mha_retains_less_than_conv"), ElementsAre(" not_measured"));
}

TEST(Claims, PlaceConvNextAmongTheStyleThatItIsNearerTo) {
  const std::string claim = "convnext_among_transformers";
  EXPECT_THAT(statuses(three_styles("fast", 2.0, 1.2, 1.3), claim), ElementsAre("fast 1.0 holds"));
  EXPECT_THAT(statuses(three_styles("fast", 1.2, 2.0, 1.9), claim), ElementsAre("fast 1.0 holds"));
  EXPECT_THAT(statuses(three_styles("fast", 2.0, 1.2, 1.9), claim), ElementsAre("fast 1.0 does_not"));
  EXPECT_THAT(statuses(three_styles("fast", 1.5, 1.5, 1.2), claim), ElementsAre("fast 1.0 undecided"))
      << "the styles do not differ";
}

TEST(Claims, AboutOneCompilerAreTestedOnThatOneOnly) {
  EXPECT_THAT(statuses(three_styles("tvm", 1.6, 0.3, 0.4), "tvm_weak_on_transformers"), ElementsAre("tvm 1.0 holds"));
  EXPECT_THAT(statuses(three_styles("tvm", 0.9, 1.3, 1.2), "tvm_weak_on_transformers"),
              ElementsAre("tvm 1.0 does_not"));
  EXPECT_THAT(statuses(three_styles("fast", 1.6, 0.3, 0.4), "tvm_weak_on_transformers"), ElementsAre(" not_measured"));
}

}  // namespace
}  // namespace ngb::metrics::series
