// SPDX-License-Identifier: Apache-2.0
#include "report/compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "../metrics/made_up_cells.h"
#include "base/json_text.h"
#include "base/text.h"
#include "metrics/metric.h"
#include "report/write/github.h"

namespace ngb::report {
namespace {

using metrics::ComparedPair;
using metrics::PairStatus;
using statistics::Verdict;
using store::CellData;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A comparison of made-up pairs. Cells stay where they are, because pairs point to them.
class Pairs {
 public:
  // Adds a pair whose ratio has this interval: ±1 %.
  ComparedPair& add(Verdict verdict, double ratio) {
    ComparedPair& pair = add(PairStatus::judged);
    pair.judgement.verdict = verdict;
    pair.is_paired = true;
    pair.rounds = 7;
    pair.judgement.contrast.estimate = std::log(ratio);
    pair.judgement.contrast.interval = statistics::Interval{std::log(ratio * 0.99), std::log(ratio * 1.01)};
    pair.baseline_value = 100;
    pair.candidate_value = 100 * ratio;
    return pair;
  }

  ComparedPair& add(PairStatus status) {
    const int batch = static_cast<int>(comparison_.pairs.size()) + 1;
    cells_.push_back(std::make_unique<CellData>(made_up::cell("fast", batch)));
    ComparedPair pair;
    pair.baseline = pair.candidate = cells_.back().get();
    pair.status = status;
    comparison_.pairs.push_back(pair);
    return comparison_.pairs.back();
  }

  CellData& last_cell() { return *cells_.back(); }
  metrics::Comparison& comparison() { return comparison_; }

  [[nodiscard]] Compared compared() {
    for (ComparedPair& pair : comparison_.pairs) {
      if (!pair.of_baseline) pair.of_baseline = measured_of(*pair.baseline);
      if (!pair.of_candidate) pair.of_candidate = measured_of(*pair.candidate);
    }
    return {&comparison_, metrics::Axis::version, metrics::noise_floors(comparison_), {}};
  }
  [[nodiscard]] Compared gated(const metrics::GateRules& rules = {}) {
    Compared made = compared();
    made.gate = metrics::gate(comparison_, rules);
    return made;
  }

 private:
  static std::shared_ptr<const metrics::Measured> measured_of(const CellData& cell) {
    return std::make_shared<const metrics::Measured>(metrics::measured(cell, metrics::steady(cell)));
  }

  std::vector<std::unique_ptr<CellData>> cells_{};
  metrics::Comparison comparison_{};
};

std::string compared_as(std::string_view format, const Compared& compared, const Screen& screen = {}) {
  return find_format(format, compare_formats()).value()->write(compare_document(compared, screen.all), screen);
}

std::string annotations_of(const Compared& compared) { return github_annotations(compare_document(compared, false)); }

// 2 slower, 1 failed, 1 inaccurate, 1 undecided, 1 faster, 1 same, in another order.
Pairs one_of_each() {
  Pairs pairs;
  pairs.add(Verdict::same, 1);
  pairs.add(Verdict::slower, 0.95);
  ComparedPair& undecided = pairs.add(Verdict::undecided, 0.97);
  undecided.judgement.reason = "the interval excludes 1, but not after 114 comparisons";
  undecided.more_rounds = metrics::MoreRounds{4, false, 180};
  pairs.add(PairStatus::newly_inaccurate);
  pairs.last_cell().failed = {made_up::failure(0, samples::FailureKind::inaccurate)};
  pairs.last_cell().failed[0].failure->message = "off by 3|4";
  pairs.add(Verdict::faster, 1.2);
  pairs.add(PairStatus::newly_failed);
  pairs.last_cell().failed = {made_up::failure(0, samples::FailureKind::crash)};
  pairs.add(Verdict::slower, 0.5);
  return pairs;
}

constexpr const char* kSummary = "2 slower, 1 failed, 1 inaccurate, 1 undecided, 1 faster, 1 same";

TEST(Compare, BeginsWithTheSummaryAndListsTheWorstFirst) {
  Pairs pairs = one_of_each();
  for (const char* format : {"text", "markdown", "github"}) {
    const std::string shown = compared_as(format, pairs.compared(), {.width = 200});
    EXPECT_EQ(text::split(shown, '\n')[0], kSummary) << format;
    std::size_t last = 0;
    for (const int batch : {7, 2, 6, 4, 3, 5, 1}) {
      const std::size_t place = shown.find("resnet18, batch " + std::to_string(batch));
      ASSERT_NE(place, std::string::npos) << format << batch;
      EXPECT_LT(last, place) << format << batch;
      last = place;
    }
  }
  const auto json = json_text::parse(compared_as("json", pairs.compared()));
  EXPECT_EQ(json["summary"], kSummary);
  EXPECT_EQ(json["pairs"][0]["ratio"]["value"], 0.5);
  EXPECT_EQ(json["pairs"][2]["outcome"], "failed");
  EXPECT_EQ(json["gate"], nullptr);
}

TEST(Compare, SaysWhyAPairIsUndecidedAndWhatWouldDecideIt) {
  Pairs pairs = one_of_each();
  const std::string why = "the interval excludes 1, but not after 114 comparisons: 4 more rounds, 3 min";
  EXPECT_THAT(compared_as("text", pairs.compared(), {.width = 200}), HasSubstr(why));
  const auto json = json_text::parse(compared_as("json", pairs.compared()));
  EXPECT_EQ(json["pairs"][4]["more_rounds"], (nlohmann::json{{"count", 4}, {"is_minimum", false}, {"seconds", 180.0}}));
}

TEST(Compare, WritesReasonsBelowATableThatHasNoRoomForThem) {
  Pairs pairs = one_of_each();
  const std::string shown = compared_as("text", pairs.compared(), {.width = 70});
  EXPECT_THAT(shown,
              HasSubstr("\n  resnet18, batch 6, on local: fast 1.0\n    failed  baseline: crash; candidate: crash\n"));
  EXPECT_THAT(shown, HasSubstr("\n  resnet18, batch 3, on local: fast 1.0: the interval excludes 1, but not after 114 "
                               "comparisons: 4 more rounds, 3 min 00 s\n"));
}

TEST(Compare, WritesTheCellAboveItsNumbersWhereTheTableIsNarrow) {
  const std::string shown = compared_as("text", one_of_each().compared(), {.width = 60});
  EXPECT_THAT(shown, HasSubstr("\n  cell\n    verdict  "));
  EXPECT_THAT(shown, HasSubstr("  baseline  candidate\n"));
  EXPECT_THAT(shown, HasSubstr("\n  resnet18, batch 7, on local: fast 1.0\n    slower  "));
}

TEST(Compare, SaysThatAVerdictNeedsAtLeastSoManyRounds) {
  Pairs pairs;
  ComparedPair& pair = pairs.add(Verdict::undecided, 1);
  pair.judgement.reason = "fewer than 3 rounds hold both sides";
  pair.more_rounds = metrics::MoreRounds{1, true, {}};
  EXPECT_THAT(compared_as("text", pairs.compared(), {.width = 200}),
              HasSubstr("fewer than 3 rounds hold both sides: at least 1 more round\n"));
}

TEST(Compare, SaysWhatFewRoundsCannotShowAndWhichPairsAreNotPaired) {
  Pairs pairs;
  pairs.add(Verdict::faster, 1.2);
  EXPECT_THAT(compared_as("text", pairs.compared()), Not(HasSubstr("Few rounds")));
  EXPECT_THAT(compared_as("text", pairs.compared()), Not(HasSubstr("Not paired")));
  pairs.add(Verdict::same, 1).rounds = 3;
  ComparedPair& independent = pairs.add(Verdict::undecided, 1.1);
  independent.rounds = 2;
  independent.is_paired = false;
  EXPECT_THAT(compared_as("text", pairs.compared()),
              HasSubstr("Few rounds: 3 of them cannot show a state of a compiler that comes in "
                        "fewer than one process in 3"));
  EXPECT_THAT(compared_as("text", pairs.compared()),
              HasSubstr("Not paired: 1 of 3 pairs have fewer than 2 rounds in common"));
}

TEST(Compare, SaysWhichSideFailedAndHow) {
  Pairs pairs = one_of_each();
  EXPECT_THAT(compared_as("text", pairs.compared(), {.width = 200}), HasSubstr("candidate: inaccurate: off by 3|4"));
  EXPECT_THAT(compared_as("markdown", pairs.compared()), HasSubstr("| **inaccurate** | – | – | – | "));
  EXPECT_THAT(compared_as("markdown", pairs.compared()), HasSubstr("inaccurate: off by 3\\|4 |\n"));
}

TEST(Compare, ReportsTheNoiseOfPairsOfTheSameBuildAndDoesNotCountThemAsSlower) {
  Pairs pairs;
  for (const double ratio : {0.98, 1.01, 1.03}) {
    ComparedPair& pair = pairs.add(ratio < 1 ? Verdict::slower : Verdict::undecided, ratio);
    pair.is_same_build = true;
    pairs.last_cell().processes = {made_up::process(0, {10})};
    pairs.last_cell().processes[0].facts = {{"device", "cpu"}};
  }
  // The same process on both sides would be a copy.
  std::vector<CellData> before;
  for (ComparedPair& pair : pairs.comparison().pairs) before.push_back(*pair.baseline);
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i].processes[0].started_unix_ns = 1;
    pairs.comparison().pairs[i].baseline = &before[i];
  }
  const std::string shown = compared_as("text", pairs.compared(), {.width = 200});
  EXPECT_THAT(shown, StartsWith("3 same build\n"));
  EXPECT_THAT(shown, HasSubstr("  Noise of local (cpu): 3 pairs of the same build; |ratio - 1| is 2.00 % (median) and "
                               "3.00 % (largest)\n"));
  EXPECT_THAT(shown, HasSubstr("slower although both sides are the same build: the device was not the same"));
  EXPECT_EQ(annotations_of(pairs.compared()), "");
}

TEST(Compare, SaysThatPageFaultsMadeOneOfTwoRunsOfABuildSlower) {
  Pairs pairs;
  ComparedPair& pair = pairs.add(Verdict::slower, 0.7);
  pair.is_same_build = true;
  pairs.last_cell().processes = {made_up::process(0, {14.3})};
  CellData before = *pair.baseline;
  before.processes = {made_up::process(0, {10})};
  pair.baseline = &before;
  made_up::add_reading(before, 0, "page_faults", 0);
  made_up::add_reading(pairs.last_cell(), 0, "page_faults", 1'568 / 0.0143);
  EXPECT_THAT(compared_as("text", pairs.compared(), {.width = 300}),
              HasSubstr("slower although both sides are the same build: the C library's allocator returned memory to "
                        "the kernel (1568 page faults an inference, 0 on the faster side); `allocator: steady` removes "
                        "that"));
}

TEST(Compare, AsCsvHasALineForEachPairWithUnroundedNumbers) {
  const auto lines = text::split(compared_as("csv", one_of_each().compared()), '\n');
  ASSERT_EQ(lines.size(), 9U);  // a header, 7 pairs, nothing after the last line break
  EXPECT_THAT(lines[0], StartsWith("outcome,status,verdict,model,batch,baseline_cell_id,"));
  EXPECT_THAT(
      lines[1],
      StartsWith("slower,judged,slower,resnet18,7,fast-7,local,,fast,1.0,{},{},1,auto,1,2,f32,none,fast-7,local,"));
  EXPECT_THAT(lines[1], HasSubstr(",0.5,0.495,0.505"));
  EXPECT_THAT(lines[3], StartsWith("failed,newly_failed,,resnet18,6,"));
  EXPECT_EQ(lines[8], "");
}

TEST(Compare, AsCsvAndJsonHasAllThatTellsItsSidesApart) {
  const auto lines = text::split(compared_as("csv", one_of_each().compared()), '\n');
  const auto pair = nlohmann::json::parse(compared_as("json", one_of_each().compared()))["pairs"][0]["candidate"];
  for (const char* const name : {"device", "compute_device", "compiler_label", "compiler_version", "options",
                                 "settings", "in_flight", "processors", "instances", "threads", "precision", "load"}) {
    EXPECT_THAT(lines[0], HasSubstr(std::string(",candidate_") + name + ",")) << name;
    EXPECT_TRUE(pair.contains(name)) << name;
  }
  EXPECT_EQ(pair["settings"], nlohmann::json::object());
}

TEST(Compare, FoldsManyPairsThatAreTheSameUnlessAllAreAskedFor) {
  Pairs pairs = one_of_each();
  for (int i = 0; i < 40; ++i) pairs.add(Verdict::same, 1);
  EXPECT_THAT(compared_as("text", pairs.compared(), {.width = 200}),
              HasSubstr("… and 41 more pairs: 41 same; --all shows them"));
  EXPECT_THAT(compared_as("markdown", pairs.compared()), Not(HasSubstr("batch 45,")));
  EXPECT_THAT(compared_as("markdown", pairs.compared(), {.all = true}), HasSubstr("batch 45,"));
}

TEST(CompareForGithub, FitsIntoACommentAndSaysHowMuchWasFolded) {
  Pairs pairs;
  for (int i = 0; i < 1000; ++i) {
    pairs.add(Verdict::slower, 0.5).judgement.reason = std::string(1000, 'x') + "ü";
  }
  for (int i = 0; i < 500; ++i) pairs.add(Verdict::same, 1);
  const std::string shown = compared_as("github", pairs.gated());
  EXPECT_LE(shown.size(), 65'536U);
  EXPECT_GT(shown.size(), 60'000U);
  const auto lines = text::split(shown, '\n');
  EXPECT_EQ(lines[0], "1000 slower, 500 same");
  const auto listed =
      std::count_if(lines.begin(), lines.end(), [](const std::string& line) { return line.starts_with("| resnet18"); });
  EXPECT_THAT(shown,
              HasSubstr(fmt::format("\n… and {} more pairs: {} slower, 500 same. ", 1500 - listed, 1000 - listed)));
  EXPECT_THAT(shown, HasSubstr("\nGate failed: 1000 slower by more than 3 %\n"));
}

TEST(CompareForGithub, AnnotatesAtMostTenPairsWorstFirst) {
  Pairs pairs;
  for (int i = 0; i < 12; ++i) pairs.add(Verdict::slower, 0.9 - 0.01 * i);
  const auto lines = text::split(annotations_of(pairs.gated()), '\n');
  ASSERT_EQ(lines.size(), 11U);
  EXPECT_EQ(lines[0], "::error title=ngb gate::resnet18, batch 12, on local: fast 1.0: slower, 0.79 [0.78, 0.80]");
  EXPECT_EQ(lines[9], "::error title=ngb gate::… and 3 more: the summary lists them");
  EXPECT_EQ(lines[10], "");
  EXPECT_THAT(annotations_of(pairs.compared()), StartsWith("::warning title=ngb compare::"));
}

TEST(CompareForGithub, KeepsAnAnnotationOnOneLine) {
  Pairs pairs;
  pairs.add(PairStatus::newly_failed);
  pairs.last_cell().failed = {made_up::failure(0, samples::FailureKind::crash)};
  pairs.last_cell().of.model.label = "100 %\n::stop-commands::x";
  pairs.last_cell().failed[0].failure->message = "100 %\n::stop-commands::y";
  const std::string told = annotations_of(pairs.gated());
  EXPECT_THAT(told, HasSubstr("::100 %25%0A::stop-commands::x, batch 1"));
  EXPECT_THAT(told, HasSubstr("crash: 100 %25)"));  // only the first line
  EXPECT_EQ(text::split(told, '\n').size(), 2U);
}

TEST(Gate, IsReportedWithWhatFailedWhatItToleratesAndWhatIsOpen) {
  Pairs pairs = one_of_each();
  EXPECT_THAT(
      compared_as("text", pairs.gated({.slower_ratio = 0.06}), {.width = 200}),
      HasSubstr("  Gate failed: 1 slower by more than 6 %, 1 newly failed, 1 newly inaccurate, 1 slower by at most "
                "6 %, 1 undecided or without a measurement\n"));
  EXPECT_THAT(compared_as("text", pairs.gated({.slower_ratio = 0.06}), {.width = 200}),
              HasSubstr("within the gate's 6 %"));
  const auto json = json_text::parse(compared_as("json", pairs.gated({.slower_ratio = 0.06})));
  EXPECT_EQ(json["gate"]["outcome"], "failed");
  EXPECT_EQ(json["gate"]["tolerated"], 1);
  EXPECT_EQ(json["pairs"][0]["is_regression"], true);
  EXPECT_EQ(json["pairs"][1]["is_regression"], false);
}

TEST(Gate, ThatPassesSaysSo) {
  Pairs pairs;
  pairs.add(Verdict::same, 1);
  EXPECT_THAT(compared_as("text", pairs.gated()), HasSubstr("  Gate passed: nothing is worse\n"));
}

TEST(CompareFormats, AreFoundByNameWithAHintIfMisspelt) {
  EXPECT_EQ(find_format("github", compare_formats()).value()->name, std::string("github"));
  EXPECT_EQ(find_format("gitub", compare_formats()).error().what, "unknown format, did you mean github?");
}

metrics::RaisedFlag raised(std::string_view name, double value) {
  return {&*std::ranges::find(metrics::flag_table(), name, &metrics::Flag::name), value};
}

TEST(Compare, SaysInTheRowOfAVerdictWhichFlagsItsSidesHave) {
  Pairs pairs;
  ComparedPair& pair = pairs.add(Verdict::faster, 2.80);
  pair.of_baseline =
      std::make_shared<metrics::Measured>(metrics::Measured{.flags = {raised("waited", 98), raised("pressure", 90)}});
  pair.of_candidate =
      std::make_shared<metrics::Measured>(metrics::Measured{.flags = {raised("unstable", 0.3), raised("waited", 94)}});
  const std::string text = compared_as("text", pairs.compared(), {.width = 400});
  EXPECT_THAT(text, HasSubstr("unstable in the candidate, waited on both sides"));
  EXPECT_THAT(text, HasSubstr("Flags: unstable (IQR / median > 25 %); waited (other programs kept a process from its "
                              "processors in > 5 % of its timed phase): ngb show --notes says what to do"));
  EXPECT_THAT(text, Not(HasSubstr("pressure"))) << "a note, which casts no doubt";
  EXPECT_THAT(compared_as("text", pairs.gated(), {.width = 400}), HasSubstr("waited on both sides"));
  const nlohmann::json told = json_text::parse(compared_as("json", pairs.compared()))["pairs"][0];
  EXPECT_EQ(told["baseline"]["flags"], (nlohmann::json{{"waited", 98}, {"pressure", 90}}));
  EXPECT_EQ(told["candidate"]["flags"], (nlohmann::json{{"unstable", 0.3}, {"waited", 94}}));
  EXPECT_THAT(compared_as("csv", pairs.compared()), HasSubstr(",waited pressure,unstable waited,"));
}

TEST(Compare, SaysNothingOfFlagsWhereThereAreNone) {
  Pairs pairs;
  pairs.add(Verdict::faster, 2);
  EXPECT_THAT(compared_as("text", pairs.compared(), {.width = 400}), Not(HasSubstr("Flags")));
  const nlohmann::json told = json_text::parse(compared_as("json", pairs.compared()))["pairs"][0];
  EXPECT_EQ(told["candidate"]["flags"], nlohmann::json::object());
}

}  // namespace
}  // namespace ngb::report
