// SPDX-License-Identifier: Apache-2.0
#include "metrics/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "statistics/distributions.h"
#include "statistics/sequential.h"

namespace ngb::metrics {

namespace {

// Returns indices in ascending order of their p values; equal values keep their order.
std::vector<std::size_t> by_size(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  return order;
}

}  // namespace

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.size());
  double highest = 0;
  std::size_t left = p_values.size();
  for (const std::size_t index : by_size(p_values)) {
    highest = std::max(highest, static_cast<double>(left--) * p_values[index]);
    adjusted[index] = std::min(1.0, highest);
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg_adjusted(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.size());
  const std::vector<std::size_t> order = by_size(p_values);
  const auto count = static_cast<double>(p_values.size());
  double lowest = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t index = order[rank - 1];
    lowest = std::min(lowest, p_values[index] * count / static_cast<double>(rank));
    adjusted[index] = lowest;
  }
  return adjusted;
}

namespace {

constexpr double kFloorQuantile = 0.25;

// The numbers of a cell's test, after the floor was applied.
struct Test {
  double estimate = 0;
  std::vector<double> deviations{};       // of each part, for one round or process, times its weight
  statistics::Uncertainty uncertainty{};  // if nothing varies, no test is possible
  std::optional<int> looked_at{};         // the largest number of rounds, if there was a look after each
  double weight = 1;                      // of its p value

  // Returns the error rate of one look with which all looks together err at `total`.
  [[nodiscard]] double rate_of_one_look(double total) const {
    return looked_at ? statistics::nominal_error_rate(*looked_at, total) : total;
  }
};

bool has_enough_rounds(const Question& question) {
  return !question.empty() && std::all_of(question.begin(), question.end(), [](const statistics::Part& part) {
    return part.values.size() >= kLeastRounds;
  });
}

// Returns the floor of the standard deviation for the parts at this position of a question.
double floor_at(std::span<const Question> questions, std::size_t position, const VerdictRules& rules) {
  std::vector<double> deviations;
  for (const Question& question : questions) {
    if (position >= question.size() || !has_enough_rounds(question)) continue;
    deviations.push_back(statistics::standard_deviation(question[position].values).value_or(0));
  }
  if (deviations.size() < kLeastCellsForAFloor) return rules.quiet_deviation.value_or(0);
  std::sort(deviations.begin(), deviations.end());
  return statistics::quantile_of_sorted(deviations, kFloorQuantile);
}

Test test_with_floors(const Question& question, const std::vector<double>& floors, std::optional<int> looked_at = {}) {
  Test test{.looked_at = looked_at};
  std::vector<double> counts;
  for (std::size_t i = 0; i < question.size(); ++i) {
    const statistics::Part& part = question[i];
    const double deviation = std::max(statistics::standard_deviation(part.values).value_or(0), floors[i]);
    test.estimate += part.weight * statistics::mean(part.values);
    test.deviations.push_back(part.weight * deviation);
    counts.push_back(static_cast<double>(part.values.size()));
  }
  test.uncertainty = statistics::uncertainty_of(test.deviations, counts);
  return test;
}

double two_sided_p(const Test& test) {
  const auto p = statistics::students_t_exceeds(test.uncertainty.degrees,
                                                std::abs(test.estimate) / test.uncertainty.standard_error);
  return 2 * p.value_or(0.5);
}

// Returns the p value of all looks at the question's only part, after 3 rounds, 4 rounds, …
double p_of_looks(const statistics::Part& rounds, const std::vector<double>& floors, int looked_at) {
  double least = 1;
  for (std::size_t count = kLeastRounds; count <= rounds.values.size(); ++count) {
    const statistics::Part until{{rounds.values.begin(), rounds.values.begin() + static_cast<std::ptrdiff_t>(count)},
                                 rounds.weight};
    const Test look = test_with_floors({until}, floors);
    if (look.uncertainty.degrees > 0) least = std::min(least, two_sided_p(look));
  }
  return statistics::p_of_all_looks(least, looked_at);
}

// Returns the fewest rounds that would show either "different" or "the same" with a chance of kForeseenPower if
// estimate and deviations were the true ones; empty if even kMostRoundsForeseen would not. `difference_rate` is the
// error rate of a single test of "different" that is left after adjusting.
std::optional<int> rounds_that_would_do(const Test& now, double difference_rate, const VerdictRules& rules) {
  const double distance = std::abs(now.estimate);
  const double margin = std::log1p(rules.margin_ratio);
  const auto would_do = [&](int rounds) {
    const std::vector<double> counts(now.deviations.size(), rounds);
    const statistics::Uncertainty then = statistics::uncertainty_of(now.deviations, counts);
    const double luck = then.half_width(2 * (1 - kForeseenPower));  // how far the estimate may come out worse
    return then.half_width(now.rate_of_one_look(difference_rate)) + luck < distance ||
           then.half_width(now.rate_of_one_look(rules.error_rate)) + luck < margin - distance;
  };
  int too_few = static_cast<int>(kLeastRounds) - 1;
  int enough = kMostRoundsForeseen;
  if (!would_do(enough)) return std::nullopt;
  while (enough - too_few > 1) {  // the half width falls with the number of rounds
    const int middle = (too_few + enough) / 2;
    (would_do(middle) ? enough : too_few) = middle;
  }
  return enough;
}

// `p` is the p value before it is adjusted for the number of comparisons. It includes the floor of standard deviations.
std::string why_undecided(bool excludes_one, double p, std::size_t comparisons, const VerdictRules& rules) {
  if (!excludes_one) return "the interval contains 1 and is wider than the margin";
  if (p >= rules.error_rate) return "the interval excludes 1, but its rounds vary less than those of most cells";
  return fmt::format("the interval excludes 1, but not after {} comparisons", comparisons);
}

void decide(Judgement& judgement, const Test& test, double p, double adjusted_p, std::size_t comparisons,
            const VerdictRules& rules) {
  judgement.adjusted_p = adjusted_p;
  const bool excludes_one = judgement.contrast.interval->low > 0 || judgement.contrast.interval->high < 0;
  if (adjusted_p < rules.error_rate) {
    judgement.verdict = test.estimate > 0 ? Verdict::faster : Verdict::slower;
    return;
  }
  if (std::abs(test.estimate) + test.uncertainty.half_width(test.rate_of_one_look(rules.error_rate)) <
      std::log1p(rules.margin_ratio)) {
    judgement.verdict = Verdict::same;
    if (excludes_one) judgement.reason = "the interval excludes 1 and is within the margin";
    return;
  }
  const double difference_rate = rules.error_rate / test.weight * (adjusted_p > 0 ? p / adjusted_p : 1);
  judgement.rounds_needed = rounds_that_would_do(test, difference_rate, rules);
  judgement.reason = why_undecided(excludes_one, p, comparisons, rules);
}

bool has_values(const Question& question) {
  return !question.empty() && std::none_of(question.begin(), question.end(),
                                           [](const statistics::Part& part) { return part.values.empty(); });
}

std::vector<double> floors_of(std::span<const Question> questions, const VerdictRules& rules) {
  std::size_t most_parts = 0;
  for (const Question& question : questions) most_parts = std::max(most_parts, question.size());
  std::vector<double> floors;
  for (std::size_t i = 0; i < most_parts; ++i) floors.push_back(floor_at(questions, i, rules));
  return floors;
}

// Returns the largest number of rounds of a question that was looked at; empty for all others.
std::optional<int> looks_at(std::span<const Question> questions, std::span<const std::optional<int>> looked_at,
                            std::size_t question) {
  return looked_at.empty() || questions[question].size() != 1 ? std::nullopt : looked_at[question];
}

// Returns nothing if the question has too few rounds, or if nothing varies.
std::optional<Test> possible_test(const Question& question, const std::vector<double>& floors,
                                  std::optional<int> looked_at) {
  if (!has_enough_rounds(question)) return std::nullopt;
  Test test = test_with_floors(question, floors, looked_at);
  return test.uncertainty.degrees > 0 ? std::optional(std::move(test)) : std::nullopt;
}

double p_of(const Question& question, const Test& test, const std::vector<double>& floors) {
  return test.looked_at ? p_of_looks(question.front(), floors, *test.looked_at) : two_sided_p(test);
}

}  // namespace

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 4> kNames{"faster", "slower", "same", "undecided"};
  return kNames.at(static_cast<std::size_t>(verdict));
}

std::vector<std::optional<double>> unadjusted_p_values(std::span<const Question> questions, const VerdictRules& rules,
                                                       std::span<const std::optional<int>> looked_at) {
  std::vector<std::optional<double>> found(questions.size());
  const std::vector<double> floors = floors_of(questions, rules);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::optional<int> looks = looks_at(questions, looked_at, i);
    if (const auto test = possible_test(questions[i], floors, looks)) found[i] = p_of(questions[i], *test, floors);
  }
  return found;
}

std::vector<Judgement> judge(std::span<const Question> questions, const VerdictRules& rules,
                             std::span<const std::optional<int>> looked_at, std::span<const double> weights) {
  const std::vector<double> floors = floors_of(questions, rules);
  std::vector<Judgement> judgements(questions.size());
  std::vector<Test> tests;
  std::vector<std::size_t> tested;
  std::vector<double> p_values;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::optional<int> looks = looks_at(questions, looked_at, i);
    if (has_values(questions[i])) {
      const Test shown{.looked_at = looks};
      judgements[i].contrast = statistics::contrast(questions[i], shown.rate_of_one_look(statistics::kErrorRate));
    }
    auto test = possible_test(questions[i], floors, looks);
    if (!test) {
      judgements[i].reason =
          has_enough_rounds(questions[i]) ? "no variation seen" : "fewer than 3 rounds hold both sides";
      continue;
    }
    if (!weights.empty()) test->weight = weights[i];
    tests.push_back(*test);
    tested.push_back(i);
    p_values.push_back(std::min(1.0, test->weight * p_of(questions[i], *test, floors)));
  }
  const std::vector<double> adjusted =
      rules.adjustment == Adjustment::holm ? holm_adjusted(p_values) : benjamini_hochberg_adjusted(p_values);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    decide(judgements[tested[i]], tests[i], p_values[i], adjusted[i], tested.size(), rules);
  }
  return judgements;
}

}  // namespace ngb::metrics
