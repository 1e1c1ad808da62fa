// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "made_up_series.h"

namespace ngb::metrics::series {
namespace {

using made_up::around;
using made_up::cell_with;
using store::CellData;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> answer_to(const std::vector<CellData>& cells) {
  const Analysis analysis = made_up::analysis_of(cells);
  return answer(analysis, races_of(analysis));
}

// Five processes around this speed, which differ by about 1 %.
CellData steady(const std::string& model, const std::string& compiler, double speed) {
  return cell_with({.model = model, .compiler = compiler}, around(speed, {-0.01, 0.01, 0.005, 0, -0.005}));
}

TEST(Answer, NamesWhoIsTheFastestEverywhereByHowMuchAndHowSure) {
  EXPECT_THAT(answer_to({steady("a", "identity", 100), steady("a", "fast", 200), steady("a", "slow", 150),
                         steady("b", "identity", 100), steady("b", "fast", 300), steady("b", "slow", 150)}),
              ElementsAre("fast 1.0 is the fastest on all 2 workloads: 2 to 3 times as fast as the identity (95 %: at "
                          "least 2)."));
}

TEST(Answer, NamesEachWinnerWithTheModelsOnWhichItWins) {
  EXPECT_THAT(
      answer_to({steady("a", "identity", 100), steady("a", "one", 200), steady("a", "two", 150),
                 steady("b", "identity", 100), steady("b", "one", 150), steady("b", "two", 300),
                 steady("c", "identity", 100), steady("c", "one", 150), steady("c", "two", 400)}),
      ElementsAre("two 1.0 is the fastest on 2 of 3 workloads (b, c): 3 to 4 times as fast as the identity (95 %: "
                  "at least 3).",
                  "one 1.0 is the fastest on 1 of 3 workloads (a at batch 1): 2 times as fast as the identity "
                  "(95 %: at least 2)."));
}

TEST(Answer, ComparesTheIdentityWithTheSecondFastestIfNobodyIsFaster) {
  EXPECT_THAT(
      answer_to({steady("a", "identity", 200), steady("a", "slow", 100)}),
      ElementsAre("identity 1.0 is the fastest on a at batch 1: 2 times as fast as slow 1.0 (95 %: at least 2)."));
}

TEST(Answer, SaysWhatIsNotDecidedAndWhatWouldDecideIt) {
  std::vector<CellData> cells{steady("a", "identity", 100), steady("b", "identity", 100), steady("b", "one", 300)};
  cells.push_back(cell_with({.model = "a", .compiler = "one"}, around(200, {0.02, -0.02, 0.01, -0.01, 0.005})));
  cells.push_back(cell_with({.model = "a", .compiler = "two"}, around(199, {-0.02, 0.01, 0.02, -0.01, -0.005})));
  const std::vector<std::string> sentences = answer_to(cells);
  ASSERT_THAT(sentences, SizeIs(2));
  EXPECT_EQ(sentences[0],
            "one 1.0 is the fastest on 1 of 2 workloads (b at batch 1): 3 times as fast as the identity (95 %: "
            "at least 3).");
  EXPECT_THAT(
      sentences[1],
      testing::MatchesRegex("one 1.0 or two 1.0 is the fastest on 1 of 2 workloads \\(a at batch 1\\), both 1.99 to "
                            "2 times as fast as the identity: the ratio of the two is 1.01 \\[.*\\], and about "
                            "[0-9]+ rounds would decide it \\(`rounds: \\{until: decided\\}`\\)\\."));
}

TEST(Answer, AsksForProcessesWhereOneSaysNothing) {
  EXPECT_THAT(
      answer_to({cell_with({}, {100}), cell_with({.compiler = "fast"}, {200})}),
      ElementsAre("fast 1.0 or identity 1.0 is the fastest on resnet18 at batch 1: at least 3 processes of each are "
                  "needed to tell."));
}

TEST(Answer, NamesWhatHasNoResult) {
  std::vector<CellData> cells{steady("a", "identity", 100), steady("a", "fast", 200)};
  CellData broken = cell_with({.model = "a", .compiler = "broken"}, {});
  broken.failed = {made_up::failure(0, samples::FailureKind::crash)};
  cells.push_back(std::move(broken));
  EXPECT_EQ(answer_to(cells).back(), "No result in 1 of 3 cells: broken 1.0 in 1 (crash).");
}

TEST(Answer, HasAtMostFiveSentencesAndSaysWhereTheOthersAre) {
  std::vector<CellData> cells;
  for (const char* const winner : {"a", "b", "c", "d", "e", "f", "g"}) {
    cells.push_back(steady(winner, "identity", 100));
    cells.push_back(steady(winner, winner, 200));
  }
  const std::vector<std::string> sentences = answer_to(cells);
  ASSERT_THAT(sentences, SizeIs(5));
  EXPECT_EQ(sentences.back(), "3 more sentences: ngb show --findings");
}

TEST(Answer, NamesAFastestInAtMostFivePercentOfStudiesWithoutDifferences) {
  std::mt19937_64 random(1);  // always the same studies
  int named = 0;
  constexpr int kStudies = 400;
  for (int i = 0; i < kStudies; ++i) {
    const std::vector<std::string> sentences = answer_to(made_up::study_without_differences(random));
    named += std::any_of(sentences.begin(), sentences.end(), [](const std::string& sentence) {
      return sentence.find(" is the fastest") != std::string::npos && sentence.find(" or ") == std::string::npos;
    });
  }
  EXPECT_LE(named, kStudies / 20);
}

TEST(Answer, IsEmptyIfThereIsNothingToCompare) { EXPECT_THAT(answer_to({steady("a", "identity", 100)}), IsEmpty()); }

}  // namespace
}  // namespace ngb::metrics::series
