// SPDX-License-Identifier: Apache-2.0
// Judges each cell of a comparison of many cells: faster, slower, the same, or not decided.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "statistics/contrast.h"

namespace ngb::statistics {

// A verdict needs this many rounds or processes on each side.
inline constexpr std::size_t kLeastRounds = 3;
// So many cells tell by themselves how much the speeds of a compiler usually vary.
inline constexpr std::size_t kLeastCellsForAFloor = 8;
// VerdictRules::early_deviation of speeds: processes of a cell that differ by 10 %, which is more than those of most
// machines do (docs/measurement.md), so that the logarithm of the ratio of two of them has √2 · 10 %.
inline constexpr double kEarlyDeviation = 0.14;
// No pair is said to need more rounds than this.
inline constexpr int kMostRoundsForeseen = 1000;
// The rounds that a pair is said to need decide it with this chance, if it is as it seems.
inline constexpr double kForeseenPower = 0.8;

enum class Verdict { faster, slower, same, undecided };
std::string_view name(Verdict verdict);  // "faster", …

// How the number of false verdicts in one comparison is bounded: holm_adjusted, benjamini_hochberg_adjusted.
enum class Adjustment { benjamini_hochberg, holm };

struct VerdictRules {
  double error_rate = 0.05;    // share of false verdicts, as `adjustment` defines it
  double margin_ratio = 0.03;  // two speeds are the same if the interval of their ratio is within 1 ± this
  // Of questions that are differences and no logarithms of ratios, in place of margin_ratio: two sides are the same if
  // the interval of their difference is within ± this.
  std::optional<double> margin_difference{};
  Adjustment adjustment = Adjustment::benjamini_hochberg;
  // Standard deviation of a round's log ratio on a quiet device, if it is known (metrics/calibration.h). It is a floor
  // of the standard deviation of sides with fewer than kLeastCellsForAFloor cells.
  std::optional<double> quiet_deviation{};
  // Standard deviation that a round's log ratio is assumed to have at least, if questions of one part are judged after
  // one and two rounds too, which say little of it themselves; nothing: they are undecided.
  std::optional<double> early_deviation{};

  // Returns how far from 0 the contrast of two sides may be that are the same.
  [[nodiscard]] double margin() const;
};

// One cell's log(candidate / baseline) of throughput, as the parts of a contrast: one part of paired rounds, or two
// parts of independent processes with weights 1 and -1. Above 0 the candidate is faster. A quantity that may be 0 has
// its difference in place of the logarithm (VerdictRules::margin_difference).
using Question = std::vector<Part>;

// What a question is judged by, beside its numbers.
struct Context {
  // The study's largest number of rounds, if the question is paired and its rounds were added until it was decided: the
  // p value then takes all looks into account, the interval a single one (sequential.h).
  std::optional<int> looked_at{};
  // The p value is multiplied by this number above 0 before it is adjusted: of so many tests, it is the one that
  // counts.
  double weight = 1;
  // Names the two compilers on their device: questions with equal sides differ in the model or the batch size.
  std::string sides{};
};

struct Judgement {
  Verdict verdict = Verdict::undecided;
  Contrast contrast{};                 // without adjustment; its interval is the one to show
  std::optional<double> adjusted_p{};  // of "no difference"; empty if no test was possible
  std::string reason{};  // why the cell is undecided, or why the verdict disagrees with the shown interval
  std::optional<int> rounds_needed{};  // total that would likely decide an undecided cell
};

// Returns one judgement for each question, in their order. A cell with fewer than three rounds or processes on a side
// is undecided, unless VerdictRules::early_deviation is given and its rounds are looked at: then z tests of the first
// two rounds are added to the looks, whose p values count once more each (Bonferroni). The same questions give the same
// judgements, bit for bit. `contexts` is empty or has an element for each question.
//
// Each part's standard deviation is raised to a floor, because processes that happen to be in the same state vary less
// than the cell does: to the mean of the standard deviations of that part over the questions with the same sides and as
// many parts, the noisiest tenth of them (rounded down) left out. A single question has no such floor. The mean sees a
// state that most cells have missed, as no quantile does; without the noisiest tenth it costs little where the cells
// are unlike (tests/bench/trust/interval_coverage.cpp).
std::vector<Judgement> judge(std::span<const Question> questions, const VerdictRules& rules,
                             std::span<const Context> contexts = {});

// Returns the two-sided p value of "no difference" of each question, as `judge` computes it before it is weighted and
// adjusted; empty if no test was possible. For questions whose verdicts depend on each other in ways that `judge` does
// not know.
std::vector<std::optional<double>> unadjusted_p_values(std::span<const Question> questions, const VerdictRules& rules,
                                                       std::span<const Context> contexts = {});

// Adjusts p values for the number of tests that are judged together.

// Both functions return adjusted p values in the order of `p_values` (each in [0, 1]). A value below α is a discovery.

// Bounds the share of studies with any false discovery by α, however the tests depend on each other. Source: Holm, A
// simple sequentially rejective multiple test procedure (1979).
std::vector<double> holm_adjusted(std::span<const double> p_values);

// Bounds the expected share of false discoveries by α, for independent or positively dependent tests. Source: Benjamini
// and Hochberg, Controlling the false discovery rate (1995).
std::vector<double> benjamini_hochberg_adjusted(std::span<const double> p_values);

}  // namespace ngb::statistics
