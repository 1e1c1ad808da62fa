// SPDX-License-Identifier: Apache-2.0
#include "statistics/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include "statistics/distributions.h"
#include "statistics/sequential.h"

namespace ngb::statistics {

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

constexpr double kShareWithoutTheNoisiest = 0.9;

// The numbers of a cell's test, after the floor was applied.
struct Test {
  double estimate = 0;
  std::vector<double> deviations{};  // of each part, for one round or process, times its weight
  Uncertainty uncertainty{};         // if nothing varies, no test is possible
  Context context{};

  // Returns the error rate of one look with which all looks together err at `total`.
  [[nodiscard]] double rate_of_one_look(double total) const {
    return context.looked_at ? nominal_error_rate(*context.looked_at, total) : total;
  }
};

bool has_enough_rounds(const Question& question) {
  return !question.empty() && std::all_of(question.begin(), question.end(),
                                          [](const Part& part) { return part.values.size() >= kLeastRounds; });
}

// Returns the standard deviation of logarithms. Those of equal speeds differ by the rounding of doubles, which is none.
double spread_of(const Part& part) {
  constexpr double kLogRounding = 1e-12;
  const double deviation = standard_deviation(part.values).value_or(0);
  return deviation < kLogRounding ? 0 : deviation;
}

// The floors of the standard deviations of all questions' parts.
class Floors {
 public:
  Floors(std::span<const Question> questions, std::span<const Context> contexts, const VerdictRules& rules) {
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (!has_enough_rounds(questions[i])) continue;
      std::vector<std::vector<double>>& seen = deviations_[key_of(questions[i], contexts[i])];
      seen.resize(questions[i].size());
      for (std::size_t part = 0; part < questions[i].size(); ++part) {
        seen[part].push_back(spread_of(questions[i][part]));
      }
    }
    for (const auto& [key, seen] : deviations_) {
      std::vector<double>& floors = floors_[key];
      for (const std::vector<double>& of_part : seen) floors.push_back(floor_of(of_part, rules));
    }
  }

  // Returns that of each part; none of sides of which no question has enough rounds.
  [[nodiscard]] const std::vector<double>& of(const Question& question, const Context& context) const {
    static const std::vector<double> kNone;
    const auto found = floors_.find(key_of(question, context));
    return found == floors_.end() ? kNone : found->second;
  }

 private:
  using Key = std::pair<std::string, std::size_t>;  // sides, number of parts
  static Key key_of(const Question& question, const Context& context) { return {context.sides, question.size()}; }

  static double floor_of(std::vector<double> deviations, const VerdictRules& rules) {
    const double known = deviations.size() < kLeastCellsForAFloor ? rules.quiet_deviation.value_or(0) : 0;
    if (deviations.size() < 2) return known;
    std::sort(deviations.begin(), deviations.end());
    const double kept = std::ceil(kShareWithoutTheNoisiest * static_cast<double>(deviations.size()));
    return std::max(known, mean(std::span(deviations).first(static_cast<std::size_t>(kept))));
  }

  std::map<Key, std::vector<std::vector<double>>> deviations_{};
  std::map<Key, std::vector<double>> floors_{};
};

Test test_with_floors(const Question& question, const std::vector<double>& floors, const Context& context = {}) {
  Test test{.context = context};
  std::vector<double> counts;
  for (std::size_t i = 0; i < question.size(); ++i) {
    const Part& part = question[i];
    const double deviation = std::max(spread_of(part), floors[i]);
    test.estimate += part.weight * mean(part.values);
    test.deviations.push_back(part.weight * deviation);
    counts.push_back(static_cast<double>(part.values.size()));
  }
  test.uncertainty = uncertainty_of(test.deviations, counts);
  return test;
}

// Returns the test of one part with fewer than kLeastRounds values, whose deviation is that or the floor's.
Test early_test(const Part& part, const std::vector<double>& floors, double early_deviation, const Context& context) {
  constexpr double kManyDegrees = 1e9;  // the deviation is assumed, and not estimated from so few values
  const double deviation = std::max({spread_of(part), floors.empty() ? 0 : floors.front(), early_deviation});
  const double count = static_cast<double>(part.values.size());
  return {.estimate = part.weight * mean(part.values),
          .deviations = {part.weight * deviation},
          .uncertainty = {std::abs(part.weight) * deviation / std::sqrt(count), kManyDegrees},
          .context = context};
}

double two_sided_p(const Test& test) {
  const auto p =
      students_t_exceeds(test.uncertainty.degrees, std::abs(test.estimate) / test.uncertainty.standard_error);
  return 2 * p.value_or(0.5);
}

// Returns the p value of all looks at the question's only part, after 3 rounds, 4 rounds, …; with an early deviation
// after 1 and 2 rounds as well.
double p_of_looks(const Part& rounds, const std::vector<double>& floors, int looked_at,
                  const std::optional<double>& early_deviation) {
  double least = 1;
  for (std::size_t count = early_deviation ? 1 : kLeastRounds; count <= rounds.values.size(); ++count) {
    const Part until{{rounds.values.begin(), rounds.values.begin() + static_cast<std::ptrdiff_t>(count)},
                     rounds.weight};
    const Test look =
        count < kLeastRounds ? early_test(until, floors, *early_deviation, {}) : test_with_floors({until}, floors);
    if (look.uncertainty.degrees > 0) least = std::min(least, two_sided_p(look));
  }
  constexpr double kEarlyLooks = kLeastRounds - 1;
  return std::min(1.0, p_of_all_looks(least, looked_at) + (early_deviation ? kEarlyLooks * least : 0));
}

// Returns the fewest rounds that would show either "different" or "the same" with a chance of kForeseenPower if
// estimate and deviations were the true ones; empty if even kMostRoundsForeseen would not. `difference_rate` is the
// error rate of a single test of "different" that is left after adjusting.
std::optional<int> rounds_that_would_do(const Test& now, double difference_rate, const VerdictRules& rules) {
  const double distance = std::abs(now.estimate);
  const double margin = rules.margin();
  const auto would_do = [&](int rounds) {
    const std::vector<double> counts(now.deviations.size(), rounds);
    const Uncertainty then = uncertainty_of(now.deviations, counts);
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

bool has_values(const Question& question) {
  return !question.empty() &&
         std::none_of(question.begin(), question.end(), [](const Part& part) { return part.values.empty(); });
}

// Returns the question's context. Only of one paired part it is known after which rounds it was looked at.
Context context_of(const Question& question, std::span<const Context> contexts, std::size_t index) {
  Context context = contexts.empty() ? Context{} : contexts[index];
  if (question.size() != 1) context.looked_at.reset();
  return context;
}

// A question that can be tested.
struct Tested {
  std::size_t question = 0;
  Test test{};
  double p = 1;  // not yet weighted and adjusted
};

// Returns whether the question is judged before it has enough rounds.
bool is_early(const Question& question, const VerdictRules& rules, const Context& context) {
  return rules.early_deviation && context.looked_at && !has_enough_rounds(question) && has_values(question);
}

// Returns the tests of the questions that have enough rounds and vary, or whose sides do, and of early ones.
std::vector<Tested> tests_of(std::span<const Question> questions, const VerdictRules& rules,
                             std::span<const Context> given) {
  std::vector<Context> contexts;
  for (std::size_t i = 0; i < questions.size(); ++i) contexts.push_back(context_of(questions[i], given, i));
  const Floors floors(questions, contexts, rules);
  std::vector<Tested> tests;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const bool early = is_early(questions[i], rules, contexts[i]);
    if (!early && !has_enough_rounds(questions[i])) continue;
    const std::vector<double>& own = floors.of(questions[i], contexts[i]);
    Test test = early ? early_test(questions[i].front(), own, *rules.early_deviation, contexts[i])
                      : test_with_floors(questions[i], own, contexts[i]);
    const bool varies = test.uncertainty.degrees > 0;  // they may be no number
    if (!varies) continue;
    const double p = contexts[i].looked_at
                         ? p_of_looks(questions[i].front(), own, *contexts[i].looked_at, rules.early_deviation)
                         : two_sided_p(test);
    tests.push_back({i, std::move(test), p});
  }
  return tests;
}

// Returns what the shown interval of two equal sides contains: a ratio of 1, or no difference.
int value_of_equal(const VerdictRules& rules) { return rules.margin_difference ? 0 : 1; }

// `p` is the p value before it is weighted and adjusted. It includes the floor of standard deviations.
std::string why_undecided(bool excludes_equal, double p, std::size_t comparisons, const VerdictRules& rules) {
  const int equal = value_of_equal(rules);
  if (!excludes_equal) return fmt::format("the interval contains {} and is wider than the margin", equal);
  if (p >= rules.error_rate) {
    return fmt::format("the interval excludes {}, but its rounds vary less than is usual of these compilers", equal);
  }
  return fmt::format("the interval excludes {}, but not after {} comparisons", equal, comparisons);
}

// Fills in the verdict of a question that could be tested.
void conclude(Judgement& judgement, const Tested& tested, double adjusted_p, std::size_t comparisons,
              const VerdictRules& rules) {
  const Test& test = tested.test;
  judgement.adjusted_p = adjusted_p;
  const auto& interval = judgement.contrast.interval;  // none after one round
  const bool excludes_equal = interval && (interval->low > 0 || interval->high < 0);
  if (adjusted_p < rules.error_rate) {
    judgement.verdict = test.estimate > 0 ? Verdict::faster : Verdict::slower;
    return;
  }
  if (std::abs(test.estimate) + test.uncertainty.half_width(test.rate_of_one_look(rules.error_rate)) < rules.margin()) {
    judgement.verdict = Verdict::same;
    if (excludes_equal) {
      judgement.reason = fmt::format("the interval excludes {} and is within the margin", value_of_equal(rules));
    }
    return;
  }
  const double weighted = std::min(1.0, test.context.weight * tested.p);
  const double difference_rate = rules.error_rate / test.context.weight * (adjusted_p > 0 ? weighted / adjusted_p : 1);
  judgement.rounds_needed = rounds_that_would_do(test, difference_rate, rules);
  judgement.reason = why_undecided(excludes_equal, tested.p, comparisons, rules);
}

}  // namespace

double VerdictRules::margin() const { return margin_difference.value_or(std::log1p(margin_ratio)); }

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 4> kNames{"faster", "slower", "same", "undecided"};
  return kNames.at(static_cast<std::size_t>(verdict));
}

std::vector<std::optional<double>> unadjusted_p_values(std::span<const Question> questions, const VerdictRules& rules,
                                                       std::span<const Context> contexts) {
  std::vector<std::optional<double>> found(questions.size());
  for (const Tested& each : tests_of(questions, rules, contexts)) found[each.question] = each.p;
  return found;
}

std::vector<Judgement> judge(std::span<const Question> questions, const VerdictRules& rules,
                             std::span<const Context> contexts) {
  std::vector<Judgement> judgements(questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Test shown{.context = context_of(questions[i], contexts, i)};
    if (has_values(questions[i])) {
      judgements[i].contrast = contrast(questions[i], shown.rate_of_one_look(kErrorRate));
    }
    judgements[i].reason =
        has_enough_rounds(questions[i]) ? "no variation seen" : "fewer than 3 rounds hold both sides";
  }
  const std::vector<Tested> tests = tests_of(questions, rules, contexts);
  std::vector<double> p_values;
  for (const Tested& each : tests) p_values.push_back(std::min(1.0, each.test.context.weight * each.p));
  const std::vector<double> adjusted =
      rules.adjustment == Adjustment::holm ? holm_adjusted(p_values) : benjamini_hochberg_adjusted(p_values);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    Judgement& judgement = judgements[tests[i].question];
    judgement.reason.clear();
    conclude(judgement, tests[i], adjusted[i], tests.size(), rules);
    const Question& question = questions[tests[i].question];
    if (judgement.verdict == Verdict::undecided || has_enough_rounds(question)) continue;
    judgement.reason = fmt::format("told after {} of 3 rounds", question.front().values.size());
  }
  return judgements;
}

}  // namespace ngb::statistics
