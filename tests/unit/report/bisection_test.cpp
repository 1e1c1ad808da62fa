// SPDX-License-Identifier: Apache-2.0
#include "report/bisection.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace ngb::report {
namespace {

using metrics::Fault;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TriedVersion tried(const std::string& version, Finding finding, double ratio) {
  TriedVersion made{.version = version,
                    .finding = finding,
                    .cell = "resnet18, batch 1, on local",
                    .processes = 5,
                    .results = "/results/speed-bisect/" + version};
  made.contrast.emplace();
  made.contrast->estimate = std::log(ratio);
  made.contrast->interval = statistics::Interval{std::log(ratio * 0.99), std::log(ratio * 1.01)};
  return made;
}

// 1.2 does not load, 1.3 is slower than 1.0, and 1.1 is not.
Bisected with_culprit() {
  Bisected made{
      .compiler = "onnxruntime", .threshold_ratio = 0.03, .versions = {"1.0", "1.1", "1.2", "1.3", "1.4", "1.5"}};
  made.tried = {tried("1.1", Finding::good, 1),
                {.version = "1.2", .finding = Finding::unusable, .why = "cannot import onnxruntime"},
                tried("1.3", Finding::bad, 0.8),
                tried("1.5", Finding::bad, 0.7)};
  made.end = Bisection{.first_bad = 3, .last_good = 1, .unusable = {2}};
  made.cells = 4;
  made.cells_that_count = 1;
  made.folder = "/results/speed-bisect";
  return made;
}

std::string shown(const Bisected& bisected, const std::string& format, int width = 0) {
  return find_format(format, bisection_formats()).value()->write(bisection_document(bisected), {.width = width});
}

TEST(BisectionReport, ByAMetricOfADifferenceShowsItInItsUnit) {
  Bisected bisected = with_culprit();
  bisected.fault = Fault::worse;
  bisected.by = *metrics::parse_judged("memory_growth_bytes_per_inference:1kB", 0.03);
  statistics::Contrast& contrast = bisected.tried.back().contrast.emplace();
  contrast.estimate = -2000;  // less is better
  contrast.interval = statistics::Interval{-2100, -1900};
  EXPECT_THAT(shown(bisected, "text"),
              StartsWith("onnxruntime 1.3 is the first version that is worse than 1.0 by more than 1 kB in "
                         "memory_growth_bytes_per_inference\n\n"));
  EXPECT_THAT(shown(bisected, "text"), HasSubstr("+2 kB [1.9 kB, 2.1 kB]"));
  EXPECT_THAT(shown(bisected, "json"), HasSubstr("\"value\": 2000"));
}

TEST(BisectionReport, BeginsWithTheAnswer) {
  Bisected bisected = with_culprit();
  EXPECT_THAT(shown(bisected, "text"),
              StartsWith("onnxruntime 1.3 is the first version that is slower than 1.0 by more than 3 %\n\n"));
  bisected.fault = Fault::fails;
  EXPECT_EQ(bisection_summary(bisected), "onnxruntime 1.3 is the first version that is failing where 1.0 works");
  bisected.fault = Fault::inaccurate;
  EXPECT_EQ(bisection_summary(bisected),
            "onnxruntime 1.3 is the first version that is inaccurate where 1.0 is accurate");
  bisected.fault = Fault::faster;
  EXPECT_EQ(bisection_summary(bisected),
            "onnxruntime 1.3 is the first version that is faster than 1.0 by more than 3 %");
  EXPECT_THAT(shown(bisected, "text"), HasSubstr("1.1      not faster"));
  const auto json = json_text::parse(shown(bisected, "json"));
  EXPECT_EQ(json["faster_ratio"], 0.03);
  EXPECT_TRUE(json["slower_ratio"].is_null());
}

TEST(BisectionReport, HasARowForEachVersionInFormatsOfTables) {
  EXPECT_THAT(
      shown(with_culprit(), "csv"),
      StartsWith("version,verdict,ratio,ratio_low,ratio_high,difference,difference_low,difference_high,processes,cell,"
                 "reason,results\r\n1.1,not slower,1,"));
  EXPECT_THAT(shown(with_culprit(), "csv"), HasSubstr("\r\n1.2,stepped over,,,,,,,,,cannot import onnxruntime,\r\n"));
  EXPECT_THAT(shown(with_culprit(), "markdown"), HasSubstr("\n| 1.3 | **slower** | 0.80 ["));
}

TEST(BisectionReport, ListsEachVersionThatWasTriedWithItsRatioAndFolder) {
  const std::string text = shown(with_culprit(), "text");
  EXPECT_THAT(text, testing::ContainsRegex("  1\\.1 +not slower +1\\.00 \\[0\\.99, 1\\.01\\] +5 +resnet18, batch 1, on "
                                           "local +1\\.1\n"));
  EXPECT_THAT(text, testing::ContainsRegex("  1\\.2 +stepped over\n"));
  EXPECT_THAT(text, testing::ContainsRegex("  1\\.3 +slower +0\\.800? \\["));
  EXPECT_THAT(text, Not(HasSubstr("  1.4 ")));
  EXPECT_THAT(text, HasSubstr("  1.2 was stepped over: cannot import onnxruntime\n"));
  EXPECT_THAT(text, HasSubstr("  The change may be in what was stepped over just before 1.3 already: 1.2\n"));
  EXPECT_THAT(text, HasSubstr("  The cell that decided for 1.3: resnet18, batch 1, on local\n"));
  EXPECT_THAT(text, HasSubstr("  Counted: 1 of 4 cells, those in which 1.5 is slower\n"));
  EXPECT_THAT(text, HasSubstr("  Not tried: 1 of 5 versions\n"));
  EXPECT_THAT(text, HasSubstr("  Results: /results/speed-bisect\n"));
}

TEST(BisectionReport, NamesTheRangeThatUndecidedVersionsLeave) {
  Bisected bisected = with_culprit();
  bisected.tried[0].finding = Finding::undecided;
  bisected.end = Bisection{.first_bad = 3, .last_good = 0, .undecided = {1}, .unusable = {2}};
  const std::string text = shown(bisected, "text");
  EXPECT_THAT(text, StartsWith("onnxruntime 1.3 is the first version that was shown to be slower than 1.0 by more than "
                               "3 %; undecided between 1.0 and 1.3\n"));
  EXPECT_THAT(text, HasSubstr("  Undecided: 1.1; more rounds"));
  const auto json = json_text::parse(shown(bisected, "json"));
  EXPECT_EQ(json["outcome"], "undecided");
  EXPECT_EQ(json["undecided"], nlohmann::json({"1.1"}));
}

TEST(BisectionReport, SaysThatThereIsNothingToSearchFor) {
  Bisected bisected{.compiler = "onnxruntime", .threshold_ratio = 0.1, .versions = {"1.0", "1.1"}};
  bisected.tried = {tried("1.1", Finding::good, 1)};
  EXPECT_EQ(bisection_summary(bisected),
            "onnxruntime 1.1 is not slower than 1.0 by more than 10 %: there is nothing to search for");
  EXPECT_EQ(json_text::parse(shown(bisected, "json"))["outcome"], "not_worse");
  bisected.tried = {tried("1.1", Finding::undecided, 1)};
  EXPECT_EQ(bisection_summary(bisected),
            "It is undecided whether onnxruntime 1.1 is slower than 1.0 by more than 10 %: there is nothing to search "
            "for yet");
  EXPECT_EQ(json_text::parse(shown(bisected, "json"))["outcome"], "undecided");
}

TEST(BisectionReport, InJsonHasNumbersUnroundedAndNullForWhatIsUnknown) {
  const auto json = json_text::parse(shown(with_culprit(), "json"));
  EXPECT_EQ(json["outcome"], "found");
  EXPECT_EQ(json["first_bad"], "1.3");
  EXPECT_EQ(json["last_good"], "1.1");
  EXPECT_EQ(json["stepped_over"], nlohmann::json({"1.2"}));
  EXPECT_EQ(json["tried"].size(), 4U);
  EXPECT_NEAR(json["tried"][2]["ratio"]["low"].get<double>(), 0.792, 1e-9);
  EXPECT_EQ(json["tried"][1]["ratio"], nullptr);
  EXPECT_EQ(json["tried"][1]["results"], nullptr);
  EXPECT_EQ(json["tried"][1]["reason"], "cannot import onnxruntime");
}

TEST(BisectionReport, SuggestsTheNearestFormat) {
  EXPECT_EQ(find_format("jsn", bisection_formats()).error().text(), "jsn: unknown format, did you mean json?");
}

}  // namespace
}  // namespace ngb::report
