// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "made_up_series.h"

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
  EXPECT_THAT(
      sentences_of(four_models(), "speed_up"),
      ElementsAre(
          "fast 1.0 on local is faster than PyTorch eager (identity) on 4 of 4 workloads (2.00 times).",
          "close 1.0 on local is faster than PyTorch eager (identity) on 4 of 4 workloads (1.50 to 2.00 times)."));
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

}  // namespace
}  // namespace ngb::metrics::series
