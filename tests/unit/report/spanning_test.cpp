// SPDX-License-Identifier: Apache-2.0
#include "report/page/spanning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../metrics/made_up_cells.h"

namespace ngb::report::page {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Texts = std::vector<std::string>;

// Returns the content of a page whose results have these conclusions and values.
class WhatSpansCells : public ::testing::Test {
 protected:
  Content content() {
    results_ = all_results(cells_, values_);
    add_series(*results_, parts_);
    Content made{.study = study_, .results = &*results_};
    made.claims.of = "paper";
    add_what_spans_cells(made);
    return made;
  }

  std::string study_{};
  std::vector<store::CellData> cells_{};
  std::vector<store::DerivedValue> values_{};
  std::vector<store::SeriesPart> parts_ = std::vector<store::SeriesPart>(1);
  std::optional<Results> results_{};
};

TEST_F(WhatSpansCells, HasFindingsWithTheRowsThatBearThem) {
  parts_[0].conclusions = {
      {"finding", "", R"({"sentence": "Fast is faster.", "to_act_on": false, "rows": [{"device": "local",
        "compiler": "fast 1.0", "model": "resnet18", "batch_sizes": "1", "metric": "speed_up_ratio", "value": 1.8588,
        "low": 1.8, "high": 1.9, "outcome": "faster", "adjusted_p": 0.0012}]})"},
      {"finding", "", R"({"sentence": "Slow failed.", "to_act_on": true, "rows": []})"}};
  const Content made = content();
  ASSERT_EQ(made.findings.size(), 1U);
  EXPECT_EQ(made.findings[0].text, "Fast is faster.");
  EXPECT_THAT(made.findings[0].rows.columns,
              ElementsAre("device", "compiler", "model", "batch", "what", "value", "outcome", "adjusted p"));
  EXPECT_THAT(made.findings[0].rows.rows, ElementsAre(Texts{"local", "fast 1.0", "resnet18", "1", "speed_up_ratio",
                                                            "1.86 [1.80, 1.90]", "faster", "0.0012"}));
  ASSERT_EQ(made.to_act_on.size(), 1U);
  EXPECT_EQ(made.to_act_on[0].text, "Slow failed.");
}

TEST_F(WhatSpansCells, HasTheAnswerWithARowForEachWorkload) {
  parts_[0].conclusions = {{"answer", "", R"({"sentences": ["fast 1.0 is the fastest."], "rows": [{"device": "local",
      "model": "resnet18", "batch": 8, "compiler": "fast 1.0", "is_decided": true, "runner_up": "slow 1.0",
      "throughput_per_s": 104.25, "inference_s": 0.0767, "may_be_fastest": ["fast 1.0"], "speed_up": {"value": 2.0, "low": 1.9, "high": 2.1}, "margin": {"value": 1.5, "low": null, "high": null}}]})"}};
  const Content made = content();
  EXPECT_THAT(made.answer, ElementsAre("fast 1.0 is the fastest."));
  EXPECT_THAT(made.fastest.rows, ElementsAre(Texts{"resnet18", "8", "fast 1.0", "76.7 ms", "–", "2.00 [1.90, 2.10]",
                                                   "1.50 over slow 1.0", "it alone"}));
}

TEST_F(WhatSpansCells, NamesAllThatMayBeTheFastest) {
  parts_[0].conclusions = {{"answer", "", R"({"sentences": ["x"], "rows": [{"device": "local", "model": "resnet18",
      "batch": 8, "compiler": "a", "is_decided": false, "may_be_fastest": ["a", "b", 3]}]})"}};
  EXPECT_EQ(content().fastest.rows.at(0).back(), "a, b");
}

TEST_F(WhatSpansCells, HasNoAnswerInConclusionsOfAnyForm) {
  for (const char* const json : {"[]", "{}", R"({"sentences": 1, "rows": 2})", R"({"sentences": [1], "rows": [1]})"}) {
    parts_[0].conclusions = {{"answer", "", json}};
    const Content made = content();
    EXPECT_TRUE(made.answer.empty() && made.fastest.rows.empty()) << json;
  }
}

TEST_F(WhatSpansCells, HasThePeakMemoryOfTheFastest) {
  cells_ = {made_up::cell("fast", 8), made_up::cell("slow", 8)};
  values_ = {{"fast-8", "timed_peak_bytes", 2e9, {}, {}, ""}, {"slow-8", "timed_peak_bytes", 1e9, {}, {}, ""}};
  parts_[0].conclusions = {{"answer", "", R"({"sentences": ["x"], "rows": [{"device": "local", "model": "resnet18",
      "batch": 8, "compiler": "fast 1.0", "cell_ids": ["slow-8", "fast-8"]}]})"}};
  EXPECT_EQ(content().fastest.rows.at(0).at(4), "2 GB");
}

TEST_F(WhatSpansCells, HasClaimsOfThePaperInItsStudiesOnly) {
  parts_[0].conclusions = {{"claim", "", R"({"claim": "b", "sentence": "B holds.", "source": "paper, V",
      "status": "undecided", "compiler": "tvm 1", "device": "local", "value": 0.9})"}};
  study_ = "quickstart";
  EXPECT_TRUE(content().conclusions.empty());
  study_ = "paper_quick_models";
  EXPECT_EQ(content().conclusions.size(), 1U);
}

TEST_F(WhatSpansCells, FoldsTheClaimsThatAreNotMeasured) {
  study_ = "paper_models";
  parts_[0].conclusions = {
      {"claim", "", R"({"claim": "a", "sentence": "A holds.", "source": "paper, V", "status": "not_measured",
                        "reason": "needs stacks"})"},
      {"claim", "", R"({"claim": "b", "sentence": "B holds.", "source": "paper, V", "status": "undecided",
                        "compiler": "tvm 1", "device": "local", "value": 0.9})"}};
  const Content made = content();
  EXPECT_THAT(made.unmeasured.rows, ElementsAre(Texts{"A holds.", "paper, V", "needs stacks"}));
  ASSERT_EQ(made.conclusions.size(), 1U);
  EXPECT_EQ(made.conclusions[0].title, "B holds. (paper, V)");
}

TEST_F(WhatSpansCells, NamesOnceWhatIsEqualInAllRowsOfAFinding) {
  parts_[0].conclusions = {{"finding", "", R"({"sentence": "Fast is faster.", "rows": [
      {"device": "local", "model": "a", "outcome": "faster"}, {"device": "local", "model": "b", "outcome": "same"}]})"}};
  const SpanningTable rows = content().findings.at(0).rows;
  EXPECT_EQ(rows.remark, "In all rows: device local");
  EXPECT_THAT(rows.columns, ElementsAre("model", "outcome"));
  EXPECT_THAT(rows.rows, ElementsAre(Texts{"a", "faster"}, Texts{"b", "same"}));
}

TEST_F(WhatSpansCells, HasReversedOrdersWithBothSides) {
  parts_[0].conclusions = {{"reversal", "", R"({"ranked": "models", "between": "batch_sizes", "sides": [
        {"device": "xeon", "compiler_a": "tvm 1", "compiler_b": "tvm 1", "model_a": "a", "model_b": "b", "batch": 1,
         "value": 1.5, "low": 1.4, "high": 1.6},
        {"device": "xeon", "compiler_a": "tvm 1", "compiler_b": "tvm 1", "model_a": "a", "model_b": "b", "batch": 8,
         "value": 0.5, "low": 0.4, "high": 0.6}]})"},
                           {"orders", "", R"({"looked_at": 12, "are_too_many": false})"}};
  const Content made = content();
  ASSERT_EQ(made.conclusions.size(), 1U);
  EXPECT_THAT(made.conclusions[0].rows, ElementsAre(Texts{"a", "b", "tvm 1, batch 1, on xeon", "1.50 [1.40, 1.60]",
                                                          "tvm 1, batch 8, on xeon", "0.50 [0.40, 0.60]"}));
  EXPECT_THAT(made.conclusions[0].remark, HasSubstr("Reversals: 1, among 12 comparisons"));
}

TEST_F(WhatSpansCells, HasTablesOfSeriesWithTheirFormulas) {
  parts_[0].values = {{.series = "depth_retention_ratio",
                       .device = "local",
                       .compiler = "fast 1.0",
                       .subject = "conv_block",
                       .batch_sizes = "8",
                       .value = 1.25}};
  const Content made = content();
  ASSERT_EQ(made.tables.size(), 1U);
  EXPECT_EQ(made.tables[0].title, "retention, ratio [95 %]: depth_retention_ratio");
  EXPECT_EQ(made.tables[0].remark,
            "speed_up_ratio at the largest depth / speed_up_ratio at depth 1 (paper, tables VII and VIII)");
  EXPECT_THAT(made.tables[0].rows, ElementsAre(Texts{"conv_block", "8", "local", "fast 1.0", "1.25"}));
}

TEST_F(WhatSpansCells, SaysHowManyRowsAreLeftOut) {
  parts_[0].values.resize(kMostRowsOfATable + 7,
                          {.series = "dominating_count", .device = "local", .subject = "a", .value = 0});
  const Content made = content();
  ASSERT_EQ(made.tables.size(), 1U);
  EXPECT_EQ(made.tables[0].rows.size(), kMostRowsOfATable);
  EXPECT_THAT(made.tables[0].remark, HasSubstr("7 more rows: ngb show RESULTS --json"));
}

// A results file may come from anybody.
TEST_F(WhatSpansCells, ShowsWhateverAConclusionContains) {
  for (const char* const kind : {"finding", "reversal", "claim", "orders"}) {
    for (const char* const json : {"[]", "not JSON", R"({"rows": 7, "sides": [1], "sentence": 5, "claim": []})"}) {
      parts_[0].conclusions.push_back({kind, "", json});
    }
  }
  const Content made = content();
  EXPECT_EQ(made.findings.size(), 1U);
  EXPECT_TRUE(made.findings[0].text.empty());
}

}  // namespace
}  // namespace ngb::report::page
