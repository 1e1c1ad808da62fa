// SPDX-License-Identifier: Apache-2.0
#include "report/explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "report/formats.h"
#include "report/page/page_parts.h"
#include "report/write/text.h"
#include "report/write/timeline.h"
#include "written.h"

namespace ngb::report {
namespace {

using explain::RegionDifference;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr double kMs = 1e6;

statistics::Contrast differs(double ms, double half_width_ms) {
  return {.estimate = ms * kMs,
          .standard_error = half_width_ms * kMs / 2,
          .degrees = 4,
          .interval = statistics::Interval{(ms - half_width_ms) * kMs, (ms + half_width_ms) * kMs}};
}

RegionDifference region(const std::string& label, double ms, double half_width_ms, double p) {
  RegionDifference made{.label = label, .nodes = {label}, .baseline_ns = 3 * kMs, .candidate_ns = (3 + ms) * kMs};
  made.difference = differs(ms, half_width_ms);
  made.p = p;
  return made;
}

class ExplainDocument : public testing::Test {
 protected:
  ExplainDocument() {
    baseline_.cell_id = "aa";
    candidate_.cell_id = "bb";
    for (store::CellData* const cell : {&baseline_, &candidate_}) {
      cell->of.model.label = "resnet18";
      cell->of.model.key.batch = 1;
    }
    pair_ = {.baseline = &baseline_, .candidate = &candidate_, .names = {"old", "new"}, .label = "resnet18, batch 1"};
    explain::Explanation found{.rounds = 5, .nodes = 69};
    found.regions = {region("conv1+bn1+act1", -1.4, 0.1, 0.001), region("maxpool", -0.5, 0.1, 0.01),
                     region("fc", 0.1, 0.2, 1)};
    found.baseline = {.plain = 7.3 * kMs, .profiled = 7.4 * kMs, .operators = 7.2 * kMs, .kernels = 31};
    found.candidate = {.plain = 5.2 * kMs, .profiled = 5.8 * kMs, .operators = 5.4 * kMs, .kernels = 28};
    found.plain = differs(-2.1, 0.2);
    found.operators = differs(-1.8, 0.2);
    found.outside = differs(0.2, 0.1);
    found.cost = differs(0.5, 0.1);
    pair_.explanation = std::move(found);
  }
  [[nodiscard]] Document document(bool all = false) const { return explain_document({&pair_, 1}, all); }

  store::CellData baseline_{};
  store::CellData candidate_{};
  ExplainedPair pair_{};
};

TEST_F(ExplainDocument, BeginsWithWhatMakesTheDifferenceAndWhatIsNotExplained) {
  EXPECT_EQ(sentence_of(pair_),
            "new is 2.100 ms [1.900, 2.300] faster of 7.300 ms: 1.400 ms of it in conv1+bn1+act1, 0.500 ms in maxpool, "
            "less 0.100 ms in all others; 0.300 ms are not explained");  // 1.4 + 0.5 - 0.1 + 0.3 = 2.1
}

// 1.4 + 0.5 + 0.6 - 0.4 = 2.1
TEST_F(ExplainDocument, HasPartsThatAddUpWhereTheRegionsDifferByMoreThanThePlainTimes) {
  pair_.explanation->operators = differs(-2.5, 0.2);
  EXPECT_THAT(sentence_of(pair_),
              HasSubstr("1.400 ms of it in conv1+bn1+act1, 0.500 ms in maxpool, 0.600 ms in all others; the regions "
                        "differ by 0.400 ms more than the plain times"));
}

TEST_F(ExplainDocument, SaysWhichRegionIsNotToldFromChance) {
  pair_.explanation->regions[1].p = 0.4;
  EXPECT_THAT(sentence_of(pair_), HasSubstr("0.500 ms in maxpool (not told from chance)"));
}

TEST_F(ExplainDocument, NamesOperatorsWhoseManyRegionsMakeItTogether) {
  auto& found = *pair_.explanation;
  found.regions = {region("norm1", -0.2, 0.1, 0.01), region("norm2", -0.2, 0.1, 0.01)};
  found.alike = {region("LayerNormalization ×2", -0.4, 0.1, 0.001), region("MatMul+Add ×2", -0.1, 0.1, 1)};
  EXPECT_THAT(sentence_of(pair_), HasSubstr("of 7.300 ms: 0.400 ms of it in LayerNormalization ×2, 1.400 ms in all "
                                            "others; 0.300 ms are not"));
  const auto rows = json_text::parse(to_json(document()))["rows"];
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[6]["kind"], "operators");
  EXPECT_EQ(rows[6]["region"], "LayerNormalization ×2");
  EXPECT_THAT(to_text(document(), {.width = 0}),
              HasSubstr("\nresnet18, batch 1: regions with the same operators, together\n"));
}

TEST_F(ExplainDocument, SaysThatNothingDiffers) {
  pair_.explanation->plain = differs(0.01, 0.2);
  pair_.explanation->regions = {region("fc", 0.1, 0.2, 1)};
  EXPECT_EQ(sentence_of(pair_),
            "nothing is told to differ: old takes 7.300 ms, new 5.200 ms, and no region differs by more than chance");
}

// Beside other work: neither the plain times nor a region are told to differ by their means.
TEST_F(ExplainDocument, NamesTheRegionsWhoseUndisturbedTimesDifferWhereNoMeanDoes) {
  auto& found = *pair_.explanation;
  found.plain = differs(0.01, 20);
  found.regions = {region("fc", 1.0, 9.2, 1), region("blocks.5.conv", 0.6, 8, 1)};
  found.regions[0].undisturbed = differs(0.01, 0.02);
  found.regions[0].undisturbed_p = 1;
  found.regions[1].undisturbed = differs(0.24, 0.02);
  found.regions[1].undisturbed_p = 0.001;
  EXPECT_EQ(
      sentence_of(pair_),
      "new and old are not told apart by mean times (5.200 ms and 7.300 ms); by the least times of their kernels, "
      "which other work on the machine hardly changes, these regions differ: blocks.5.conv by +0.240 ms");
  EXPECT_THAT(to_text(document(), {.width = 0}), HasSubstr("0.240 [0.220, 0.260]"));
  const auto rows = json_text::parse(to_json(document()))["rows"];
  EXPECT_EQ(rows[1]["undisturbed_difference_ns"]["value"], 0.24 * kMs);
  EXPECT_EQ(rows[1]["undisturbed_adjusted_p"], 0.001);
  found.regions[1].undisturbed = differs(0.07, 0.02);  // less than 1 % of 7.3 ms
  EXPECT_THAT(sentence_of(pair_), HasSubstr("nothing is told to differ"));
}

TEST_F(ExplainDocument, SaysTheUndisturbedDifferenceOfARegionWhoseMeanMayBeChance) {
  pair_.explanation->regions[1].p = 0.4;
  pair_.explanation->regions[1].undisturbed = differs(-0.45, 0.02);
  pair_.explanation->regions[1].undisturbed_p = 0.001;
  EXPECT_THAT(sentence_of(pair_), HasSubstr("0.500 ms in maxpool (undisturbed -0.450 ms)"));
}

TEST_F(ExplainDocument, NamesRegionsThatDifferThoughTheWholeDoesNot) {
  pair_.explanation->plain = differs(0.01, 0.2);
  EXPECT_EQ(
      sentence_of(pair_),
      "new and old are not told apart (5.200 ms and 7.300 ms), but these regions differ: conv1+bn1+act1 by -1.400 "
      "ms, maxpool by -0.500 ms");
}

TEST_F(ExplainDocument, ClosesWithWhetherTheRegionsExplainThePlainTimes) {
  EXPECT_EQ(
      closing_line_of(pair_),
      "not explained: all regions together differ by -1.800 ms, the plain times by -2.100 ms; they miss it by 4.1 % "
      "of the slower side's time, more than 3 %");
  pair_.explanation->operators = differs(-2.0, 0.2);
  EXPECT_THAT(closing_line_of(pair_), HasSubstr("explained: all regions together differ by -2.000 ms"));
  EXPECT_THAT(closing_line_of(pair_),
              EndsWith("they miss it by 1.4 % of the slower side's time, at most 3 % is wanted"));
}

TEST_F(ExplainDocument, ListsRegionsAndThenWhatNoRegionHas) {
  std::vector<std::string> kinds;
  const auto json = json_text::parse(to_json(document()));
  for (const auto& row : json["rows"]) kinds.push_back(row["kind"].get<std::string>());
  EXPECT_THAT(kinds, testing::ElementsAre("region", "region", "region", "all regions", "outside operators",
                                          "cost of profiling", "plain time"));
  EXPECT_EQ(json["rows"][1]["cumulative_ns"], -1.9 * kMs);
  EXPECT_EQ(json["rows"][0]["difference_ns"]["low"], -1.5 * kMs);
  EXPECT_EQ(json["pairs"][0]["is_explained"], false);
}

TEST_F(ExplainDocument, HasTheShareOfTheLimitOfRegionsAndOfTheWhole) {
  const metrics::Peak peak{.macs_per_s = {1e9}, .copy_bytes_per_s = {1e9}, .triad_bytes_per_s = {2e9}};
  pair_.baseline_peak = pair_.candidate_peak = Known<metrics::Peak>::of(peak);
  auto& found = *pair_.explanation;
  found.regions[0].work = Known<metrics::LeastWork>::of({.macs = 800'000, .bytes = 1000});  // 0.8 ms of 3 and of 1.6 ms
  found.regions[1].work = Known<metrics::LeastWork>::unknown("multiply-adds of maxpool are not counted");
  found.work = Known<metrics::LeastWork>::of({.macs = 1000, .bytes = 2'600'000});  // 1.3 ms of 7.3 and of 5.2 ms
  const auto rows = json_text::parse(to_json(document()))["rows"];
  EXPECT_NEAR(rows[0]["baseline_limit_share"]["value"].get<double>(), 0.8 / 3, 1e-12);
  EXPECT_NEAR(rows[0]["candidate_limit_share"]["value"].get<double>(), 0.5, 1e-12);
  EXPECT_TRUE(rows[1]["candidate_limit_share"]["value"].is_null());
  EXPECT_EQ(rows[1]["candidate_limit_share"]["reason"], "multiply-adds of maxpool are not counted");
  EXPECT_NEAR(rows[6]["candidate_limit_share"]["value"].get<double>(), 0.25, 1e-12);
  const std::string text = to_text(document(), {.width = 0});
  EXPECT_THAT(text, HasSubstr("% of limit"));
  EXPECT_THAT(text, HasSubstr("27, 50")) << "of the first region";
  EXPECT_THAT(text, HasSubstr("18, 25")) << "of the whole";
}

TEST_F(ExplainDocument, SaysWhyThereIsNoShareOfTheLimitAndHidesItsColumns) {
  pair_.baseline_peak = pair_.candidate_peak = Known<metrics::Peak>::unknown("no peak was measured");
  EXPECT_THAT(document().remarks, testing::Contains("share of the limit: no peak was measured"));
  EXPECT_THAT(to_text(document(), {.width = 0}), Not(HasSubstr("% of limit")));
}

TEST_F(ExplainDocument, MarksWhatIsNotToldFromZero) {
  const std::string text = to_text(document(), {.width = 0});
  EXPECT_THAT(text, HasSubstr("0.100 [-0.100, 0.300] ?"));
  EXPECT_THAT(text, HasSubstr("-1.400 [-1.500, -1.300]"));
  EXPECT_THAT(text, Not(HasSubstr("-1.300] ?")));
}

TEST_F(ExplainDocument, SaysWhatAProfileLacksAndCosts) {
  EXPECT_THAT(
      document().remarks,
      testing::Contains("new: 28 kernels have 93.1 % of a profiled inference (less than 95 %), and profiling costs "
                        "11.5 % (more than 5 %: small operators look slower than they are)"));
  EXPECT_THAT(document().remarks,
              testing::Contains("old: 31 kernels have 97.3 % of a profiled inference, and profiling costs 1.4 %"));
}

TEST_F(ExplainDocument, FoldsSmallDifferencesThatAreNotTold) {
  for (int i = 0; i < 20; ++i) pair_.explanation->regions.push_back(region("r" + std::to_string(i), 0.01, 0.2, 1));
  EXPECT_THAT(to_text(document(), {.width = 0}), HasSubstr("9 more regions: 9 not told from 0"));
  EXPECT_THAT(to_text(document(true), {.all = true, .width = 0}), Not(HasSubstr("more region")));
}

TEST_F(ExplainDocument, SaysWhyAPairHasNoExplanation) {
  pair_.explanation.reset();
  pair_.why_not = "new has no profile: no_profile in timed: it tells nothing";
  EXPECT_EQ(document().summary, pair_.why_not);
  EXPECT_EQ(json_text::parse(to_json(document()))["pairs"][0]["reason"], pair_.why_not);
}

TEST_F(ExplainDocument, SaysThatTheSidesWereNotMeasuredInTurns) {
  pair_.are_in_turns = false;
  EXPECT_THAT(
      document().remarks,
      testing::Contains("the sides were measured one after the other: the differences have what changed in between"));
}

TEST_F(ExplainDocument, IsASectionOfThePageWithPicturesThatTheKeyboardReaches) {
  pair_.explanation->regions[0].label = "conv<script>";
  pair_.explanation->regions[0].nodes = {"layer1.0.conv<script>"};
  Profiles profiles;
  profiles.pairs.push_back(pair_);
  const std::string html = page::why({.profiles = &profiles}, {});
  EXPECT_THAT(html, HasSubstr("<section id=\"why\""));
  EXPECT_THAT(html, HasSubstr("faster of 7.300 ms: 1.400 ms of it in conv&lt;script&gt;"));
  EXPECT_THAT(html, HasSubstr("aria-label=\"layer1.0: 3.000 ms and 1.600 ms\"")) << "a module has what is in it";
  EXPECT_THAT(html, HasSubstr("<li>not explained: all regions together"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("style="))) << "the page's policy forbids it";
}

class Kernels : public testing::Test {
 protected:
  Kernels() {
    cell_.of.model.label = "net";
    cell_.of.model.key.batch = 4;
    profile_ = {.graph = {{"conv", "Conv", {"x"}, {"y"}}, {"act", "Relu", {"y"}, {"z"}}},
                .kernels = {{"to blocks", "reorder", {}, {}, ""}, {"k1", "", {"conv"}, {}, "node name"}},
                .kernel_ns = {500, 2000},
                .profiled_ns = 3000};
    made_ = {.cell = &cell_, .compiler = "onnxruntime 1.31.1", .profile = &profile_};
  }
  store::CellData cell_{};
  samples::KernelProfile profile_{};
  ProfiledCell made_{};
};

TEST_F(Kernels, AreListedWithTheNodesForWhichTheyStand) {
  EXPECT_EQ(to_csv(kernels_document({&made_, 1})),
            "model,batch,compiler,call,name,kind,start_ns,duration_ns,nodes,found_by\r\n"
            "net,4,onnxruntime 1.31.1,0,to blocks,reorder,0,500,,\r\n"
            "net,4,onnxruntime 1.31.1,1,k1,,500,2000,conv act,node name\r\n");
}

TEST_F(Kernels, AreDrawnAsATrace) {
  const auto trace = json_text::parse(to_trace(kernels_document({&made_, 1})));
  const auto& events = trace["traceEvents"];
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0]["args"]["name"], "net, batch 4, onnxruntime 1.31.1");
  EXPECT_EQ(events[2]["ph"], "X");
  EXPECT_EQ(events[2]["ts"], 0.5);  // microseconds
  EXPECT_EQ(events[2]["dur"], 2);
  EXPECT_EQ(events[2]["args"]["nodes"], "conv act");
}

TEST_F(Kernels, AreCountedAsFusions) {
  const auto row = json_text::parse(to_json(fusions_document({&made_, 1})))["rows"][0];
  EXPECT_EQ(row["kernels"], 2);
  EXPECT_EQ(row["nodes"], 2);
  EXPECT_EQ(row["copies"], 1);
  EXPECT_EQ(row["copies_ns"], 500);
  EXPECT_EQ(row["outside_ns"], 500);
  EXPECT_EQ(row["patterns"]["Conv+Relu"]["fused"], 1);
  EXPECT_EQ(row["found_by"], (nlohmann::json{{"closure down", 1}, {"node name", 1}}));
}

}  // namespace
}  // namespace ngb::report
