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

TEST(Answer, NamesWhoIsTheFastestEverywhereWithItsSpeedAndByHowMuchAtLeast) {
  EXPECT_THAT(answer_to({steady("a", "identity", 100), steady("a", "fast", 200), steady("a", "slow", 150),
                         steady("b", "identity", 100), steady("b", "fast", 300), steady("b", "slow", 150)}),
              ElementsAre("fast 1.0 is the fastest on all 2 workloads: 3.33 to 5.00 ms an inference, 200 to 300 "
                          "samples/s, at least 2.00 times as fast as PyTorch eager (identity)."));
}

TEST(Answer, NamesEachWinnerWithTheModelsOnWhichItWins) {
  EXPECT_THAT(
      answer_to({steady("a", "identity", 100), steady("a", "one", 200), steady("a", "two", 150),
                 steady("b", "identity", 100), steady("b", "one", 150), steady("b", "two", 300),
                 steady("c", "identity", 100), steady("c", "one", 150), steady("c", "two", 400)}),
      ElementsAre("two 1.0 is the fastest on 2 of 3 workloads (b, c): 2.50 to 3.33 ms an inference, 300 to 400 "
                  "samples/s, at least 3.00 times as fast as PyTorch eager (identity).",
                  "one 1.0 is the fastest on 1 of 3 workloads (a at batch 1): 5.00 ms an inference, 200 samples/s, at "
                  "least 2.00 times as fast as PyTorch eager (identity)."));
}

TEST(Answer, ComparesTheIdentityWithTheSecondFastestIfNobodyIsFaster) {
  EXPECT_THAT(
      answer_to({steady("a", "identity", 200), steady("a", "slow", 100)}),
      ElementsAre(
          "PyTorch eager (identity 1.0) is the fastest on a at batch 1: 5.00 ms an inference, 200 samples/s, at least "
          "2.00 times as fast as slow 1.0."));
}

// Five processes of a speed of 100 that have these peaks of memory.
CellData of_memory(const std::string& compiler, const std::vector<double>& megabytes) {
  CellData cell = steady("a", compiler, 100);
  for (std::size_t i = 0; i < cell.processes.size(); ++i) {
    cell.processes[i].phases.back().peak_rss_bytes.value = static_cast<std::uint64_t>(1e6 * megabytes[i]);
  }
  return cell;
}

std::vector<std::string> answer_by(const std::string& metric, const std::vector<CellData>& cells) {
  const Judged by = parse_judged(metric, 0.03).value();
  std::vector<const CellData*> all;
  std::vector<Steady> known;
  for (const CellData& cell : cells) {
    all.push_back(&cell);
    known.push_back(metrics::steady(cell));
    known.back().judged = by_process({&by, 1}, cell).at(by.metric);
  }
  std::vector<const Steady*> given;
  for (const Steady& each : known) given.push_back(&each);
  const Analysis analysis(all, {}, given);
  return answer(analysis, races_of(analysis, by), by);
}

// 80 MB for 100 MB is 20 % less; the interval of log(100 / 80) by hand: ± 2.776 · 0.0112 / √5.
TEST(Answer, NamesWhatIsTheBestByAnotherMetric) {
  EXPECT_THAT(answer_by("timed_peak_bytes:5%",
                        {of_memory("identity", {100, 101, 99, 100, 100}), of_memory("lean", {80, 80, 80, 81, 79})}),
              ElementsAre("lean 1.0 is the best by timed_peak_bytes on a at batch 1: 80 MB, at least 19 % less than "
                          "PyTorch eager (identity)."));
}

TEST(Answer, NamesThoseThatMayBeTheBestByAnotherMetric) {
  const auto told =
      answer_by("timed_peak_bytes", {of_memory("identity", {200, 201, 199, 200, 200}),
                                     of_memory("one", {80, 90, 85, 70, 100}), of_memory("two", {85, 80, 95, 90, 75})});
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_THAT(told.front(),
              testing::StartsWith("One of one 1.0 and two 1.0 may be the best by timed_peak_bytes on a at "
                                  "batch 1; PyTorch eager (identity 1.0) is worse. The best that was "
                                  "measured is one 1.0: 84.4 MB"));
}

// Returns a cell of the identity that computes quantised operators for their value alone.
CellData emulation(const std::string& model) {
  CellData cell = steady(model, "identity", 1);
  cell.processes[0].facts["emulated"] = "QLinearConv 20 of 57 nodes";
  return cell;
}

TEST(Answer, DividesByNoEmulationAndSaysWhatIsComparedInstead) {
  EXPECT_THAT(
      answer_to({emulation("a"), steady("a", "fast", 300), steady("a", "slow", 150)}),
      ElementsAre(
          "fast 1.0 is the fastest on a at batch 1: 3.33 ms an inference, 300 samples/s, at least 2.00 "
          "times as fast as slow 1.0.",
          "PyTorch eager (identity 1.0) emulates operators of a, so no speed is divided by that: the others are "
          "compared with each other."));
}

// Returns five processes around 200 samples/s, whose order differs from round to round.
CellData one_of_the_fastest(const std::string& compiler, const std::vector<double>& deviations) {
  return cell_with({.model = "a", .compiler = compiler}, around(200, deviations));
}

TEST(Answer, NamesAllThatMayBeTheFastestAndThoseThatAreSlowerAndWhatWouldDecideIt) {
  EXPECT_THAT(answer_to({steady("a", "identity", 100), one_of_the_fastest("one", {0.02, -0.02, 0.01, -0.01, 0.005}),
                         one_of_the_fastest("two", {-0.02, 0.01, 0.02, -0.01, -0.005}),
                         one_of_the_fastest("three", {0.01, 0.02, -0.02, -0.03, 0.01})}),
              ElementsAre(testing::MatchesRegex(
                  "One of one 1.0, two 1.0 and three 1.0 may be the fastest on a at batch 1; PyTorch eager \\(identity "
                  "1.0\\) is "
                  "slower. The fastest that was measured is one 1.0: 5.00 ms an inference, 200 samples/s, at least "
                  "1.9[0-9] times as fast "
                  "as PyTorch eager \\(identity\\); about [0-9]+ rounds would decide it \\(`rounds: \\{until: "
                  "decided\\}`\\)\\.")));
}

TEST(Answer, SaysThatTwoAreTheSameWithinTheMargin) {
  EXPECT_THAT(
      answer_to({steady("a", "identity", 100), one_of_the_fastest("one", {0.001, -0.001, 0.002, 0, 0}),
                 one_of_the_fastest("two", {-0.001, 0.001, 0.001, 0.001, -0.001})}),
      ElementsAre(
          "one 1.0 and two 1.0 are the same within 3 % on a at batch 1; PyTorch eager (identity 1.0) is slower. The "
          "fastest that was measured is one 1.0: 5.00 ms an inference, 200 samples/s, at least 1.98 "
          "times as fast as PyTorch eager (identity)."));
}

TEST(Answer, GivesADifferenceThatIsToldButSmallerThanTheMarginInPercent) {
  const std::vector<double> rounds{0.01, -0.01, 0.02, -0.02, 0};
  const std::vector<double> jitter{0.001, -0.001, 0, 0.0005, -0.0005};
  std::vector<double> faster;
  std::vector<double> slower;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    faster.push_back(100.5 * (1 + rounds[i]) * (1 + jitter[i]));
    slower.push_back(100 * (1 + rounds[i]));
  }
  EXPECT_THAT(
      answer_to({cell_with({.model = "a"}, slower), cell_with({.model = "a", .compiler = "fast"}, faster)}),
      ElementsAre(
          "fast 1.0 is the fastest on a at batch 1: 9.95 ms an inference, 100 samples/s, the same as PyTorch eager "
          "(identity) within 3 % (0.5 % faster)."));
}

TEST(Answer, AsksForProcessesWhereOneSaysNothing) {
  EXPECT_THAT(answer_to({cell_with({}, {100}), cell_with({.compiler = "fast"}, {200})}),
              ElementsAre("Which is the fastest on resnet18 at batch 1 is not told: at least 3 processes of each are "
                          "needed. The fastest that was measured is fast 1.0: 5.00 ms an inference, 200 samples/s."));
}

TEST(Answer, SaysThatNothingVariesWhereAllRoundsAreAlike) {
  const std::vector<double> alike(5, 0);
  EXPECT_THAT(answer_to({cell_with({}, around(100, alike)), cell_with({.compiler = "fast"}, around(200, alike))}),
              ElementsAre("Which is the fastest on resnet18 at batch 1 is not told: all rounds are alike to the "
                          "nanosecond, so nothing can be tested. The fastest that was measured is fast 1.0: 5.00 ms an "
                          "inference, 200 samples/s."));
}

TEST(Answer, SaysNoFactorOfACellOnWhichNobodyMayRely) {
  std::vector<CellData> cells{steady("a", "identity", 100), steady("a", "fast", 200)};
  for (auto& process : cells[0].processes) process.is_steady = false;
  EXPECT_THAT(
      answer_to(cells),
      ElementsAre("fast 1.0 is the fastest on a at batch 1: 5.00 ms an inference, 200 samples/s, by how much is "
                  "not told (flag not_steady)."));
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
      return sentence.find(" is the fastest ") != std::string::npos;
    });
  }
  EXPECT_LE(named, kStudies / 20);
}

// Returns the share of studies in which the compiler "c0", which is by `better` faster than the others, may be the
// fastest. Rounds share a deviation of 1 %, and each process has its own.
double share_that_contains_the_fastest(int compilers, int rounds, double better, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> of_round(0, 0.01);
  std::normal_distribution<double> of_process(0, 0.02);
  const int studies = 1600 / compilers;
  int contained = 0;
  for (int study = 0; study < studies; ++study) {
    std::vector<std::vector<double>> speeds(static_cast<std::size_t>(compilers));
    for (int round = 0; round < rounds; ++round) {
      const double shared = of_round(random);
      for (auto& own : speeds) own.push_back(100 * std::exp(shared + of_process(random)));
    }
    for (double& speed : speeds.front()) speed *= 1 + better;
    std::vector<CellData> cells;
    for (int i = 0; i < compilers; ++i) {
      cells.push_back(cell_with({.compiler = fmt::format("c{}", i)}, speeds[static_cast<std::size_t>(i)]));
    }
    const Analysis analysis = made_up::analysis_of(cells);
    const std::vector<std::size_t> candidates = races_of(analysis).front().candidates();
    contained += std::find(candidates.begin(), candidates.end(), 0) != candidates.end();
  }
  return static_cast<double>(contained) / studies;
}

TEST(Answer, NamesTheFastestAmongThoseThatMayBeInNineteenOfTwentyStudies) {
  for (const int rounds : {5, 7}) {
    for (const int compilers : {2, 3, 6, 14}) {
      EXPECT_GE(share_that_contains_the_fastest(compilers, rounds, 0, 13), 0.95) << compilers << ", " << rounds;
    }
    EXPECT_GE(share_that_contains_the_fastest(14, rounds, 0.01, 12), 0.95) << rounds;
  }
}

TEST(Answer, IsEmptyIfThereIsNothingToCompare) { EXPECT_THAT(answer_to({steady("a", "identity", 100)}), IsEmpty()); }

}  // namespace
}  // namespace ngb::metrics::series
