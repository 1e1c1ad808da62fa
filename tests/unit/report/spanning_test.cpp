// SPDX-License-Identifier: Apache-2.0
#include "report/page/spanning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../metrics/made_up_cells.h"
#include "metrics/series/conclusions.h"
#include "work/codec.h"

namespace ngb::report::page {
namespace {

using metrics::series::KeptAnswer;
using metrics::series::KeptClaim;
using metrics::series::KeptFinding;
using metrics::series::KeptOrders;
using metrics::series::KeptRace;
using metrics::series::KeptReversal;
using metrics::series::KeptRow;
using metrics::series::KeptSide;
using testing::Contains;
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

  template <class Kept>
  void keep(const char* kind, const Kept& kept) {
    parts_[0].conclusions.push_back({kind, "", work::write_json(kept).dump()});
  }

  std::string study_{};
  std::vector<store::CellData> cells_{};
  std::vector<store::DerivedValue> values_{};
  std::vector<store::SeriesPart> parts_ = std::vector<store::SeriesPart>(1);
  std::optional<Results> results_{};
};

TEST_F(WhatSpansCells, HasFindingsWithTheRowsThatBearThem) {
  const KeptRow row{{1.8588, 1.8, 1.9, ""}, "local",  "fast 1.0", "resnet18", "1", "",
                    "speed_up_ratio",       "faster", 0.0012,     {}};
  keep("finding", KeptFinding{"speed_up", false, true, "Fast is faster.", {row}});
  keep("finding", KeptFinding{"failure", true, false, "Slow failed.", {}});
  const Content made = content();
  ASSERT_EQ(made.findings.size(), 2U);
  EXPECT_EQ(made.findings[0].text, "Fast is faster.");
  EXPECT_THAT(made.findings[0].rows.columns,
              ElementsAre("device", "compiler", "model", "batch", "what", "value", "outcome", "adjusted p"));
  EXPECT_THAT(made.findings[0].rows.rows, ElementsAre(Texts{"local", "fast 1.0", "resnet18", "1", "speed_up_ratio",
                                                            "1.86 [1.80, 1.90]", "faster", "0.0012"}));
  EXPECT_EQ(made.findings[1].text, "Slow failed.");
}

KeptRace race_of_resnet(std::string compiler) {
  return {.device = "local", .model = "resnet18", .batch = 8, .compiler = std::move(compiler)};
}

TEST_F(WhatSpansCells, HasTheAnswerWithARowForEachWorkload) {
  KeptRace race = race_of_resnet("fast 1.0");
  race.is_decided = true;
  race.may_be_fastest = {"fast 1.0"};
  race.inference_s = 0.0767;
  race.speed_up = {{2.0, 1.9, 2.1, ""}};
  race.runner_up = "slow 1.0";
  race.margin = {{1.5, {}, {}, ""}};
  keep("answer", KeptAnswer{{"fast 1.0 is the fastest."}, {race}});
  const Content made = content();
  EXPECT_THAT(made.answer, ElementsAre("fast 1.0 is the fastest."));
  EXPECT_THAT(made.fastest.rows, ElementsAre(Texts{"resnet18", "8", "fast 1.0", "76.7 ms", "–", "2.00 [1.90, 2.10]",
                                                   "1.50 over slow 1.0", "it alone"}));
}

TEST_F(WhatSpansCells, SaysOfABaselineThatIsTheFastestNoIntervalToItself) {
  KeptRace race = race_of_resnet("identity 2.15");
  race.speed_up = {{1.0, 1.0, 1.0, ""}};
  keep("answer", KeptAnswer{{"x"}, {race}});
  EXPECT_THAT(content().fastest.rows.at(0), Contains("1.00"));
}

// The page's style knows the columns of this table by their places.
TEST_F(WhatSpansCells, KeepsAllColumnsOfTheAnswerWhereNothingIsKnownOfThem) {
  KeptRace race = race_of_resnet("alone 1.0");
  race.is_decided = true;
  keep("answer", KeptAnswer{{"x"}, {race}});
  EXPECT_THAT(content().fastest.rows, ElementsAre(Texts{"resnet18", "8", "alone 1.0", "–", "–", "–", "–", "it alone"}));
}

TEST_F(WhatSpansCells, NamesAllThatMayBeTheFastest) {
  KeptRace race = race_of_resnet("a");
  race.may_be_fastest = {"a", "b"};
  keep("answer", KeptAnswer{{"x"}, {race}});
  EXPECT_EQ(content().fastest.rows.at(0).back(), "a, b");
}

TEST_F(WhatSpansCells, HasThePeakMemoryOfTheFastest) {
  cells_ = {made_up::cell("fast", 8), made_up::cell("slow", 8)};
  values_ = {{"fast-8", "timed_peak_bytes", 2e9, {}, {}, ""}, {"slow-8", "timed_peak_bytes", 1e9, {}, {}, ""}};
  KeptRace race = race_of_resnet("fast 1.0");
  race.cell_ids = {"slow-8", "fast-8"};
  keep("answer", KeptAnswer{{"x"}, {race}});
  EXPECT_EQ(content().fastest.rows.at(0).at(4), "2 GB");
}

KeptClaim claim_that_b_holds() {
  return {{0.9, {}, {}, ""}, "b", "B holds.", "", "paper, V", "local", "tvm 1", "undecided", {}, {}};
}

TEST_F(WhatSpansCells, HasClaimsOfThePaperInItsStudiesOnly) {
  keep("claim", claim_that_b_holds());
  study_ = "quickstart";
  EXPECT_TRUE(content().conclusions.empty());
  study_ = "paper_quick_models";
  EXPECT_EQ(content().conclusions.size(), 1U);
}

TEST_F(WhatSpansCells, FoldsTheClaimsThatAreNotMeasured) {
  study_ = "paper_models";
  keep("claim",
       KeptClaim{{{}, {}, {}, "needs stacks"}, "a", "A holds.", "", "paper, V", "", "", "not_measured", {}, {}});
  keep("claim", claim_that_b_holds());
  const Content made = content();
  EXPECT_THAT(made.unmeasured.rows, ElementsAre(Texts{"A holds.", "paper, V", "needs stacks"}));
  ASSERT_EQ(made.conclusions.size(), 1U);
  EXPECT_EQ(made.conclusions[0].title, "B holds. (paper, V)");
}

TEST_F(WhatSpansCells, NamesOnceWhatIsEqualInAllRowsOfAFinding) {
  KeptRow faster;
  faster.device = "local";
  faster.model = "a";
  faster.outcome = "faster";
  KeptRow same = faster;
  same.model = "b";
  same.outcome = "same";
  keep("finding", KeptFinding{"speed_up", false, true, "Fast is faster.", {faster, same}});
  const SpanningTable rows = content().findings.at(0).rows;
  EXPECT_EQ(rows.remark, "In all rows: device local");
  EXPECT_THAT(rows.columns, ElementsAre("model", "outcome"));
  EXPECT_THAT(rows.rows, ElementsAre(Texts{"a", "faster"}, Texts{"b", "same"}));
}

TEST_F(WhatSpansCells, HasReversedOrdersWithBothSides) {
  const KeptSide first{{1.5, 1.4, 1.6, ""}, "xeon", "tvm 1", "tvm 1", "a", "b", 1, {}};
  const KeptSide second{{0.5, 0.4, 0.6, ""}, "xeon", "tvm 1", "tvm 1", "a", "b", 8, {}};
  keep("reversal", KeptReversal{"models", "batch_sizes", 0.01, {first, second}});
  keep("orders", KeptOrders{12, false});
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
TEST_F(WhatSpansCells, HasNothingOfConclusionsOfAnotherForm) {
  for (const char* const kind : {"finding", "reversal", "claim", "orders", "answer"}) {
    for (const char* const json :
         {"[]", "{}", "not JSON", R"({"sentences": [1], "rows": [1], "sides": [1], "claim": []})"}) {
      parts_[0].conclusions.push_back({kind, "", json});
    }
  }
  study_ = "paper_models";
  const Content made = content();
  EXPECT_TRUE(made.findings.empty() && made.conclusions.empty());
  EXPECT_TRUE(made.answer.empty() && made.fastest.rows.empty());
}

}  // namespace
}  // namespace ngb::report::page
