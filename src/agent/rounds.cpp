// SPDX-License-Identifier: Apache-2.0
#include "agent/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "statistics/sequential.h"

namespace ngb::agent {
namespace {

std::size_t fewest_numbers(const CellSoFar& cell, int before_round) {
  std::size_t fewest = cell.numbers.empty() ? 0 : cell.numbers.begin()->second.size();
  for (auto of_round = cell.numbers.begin(); of_round != cell.numbers.lower_bound(before_round); ++of_round) {
    fewest = std::min(fewest, of_round->second.size());
  }
  return fewest;
}

// Says how good a process is by its number: the higher the better, and differences of it are what is asked.
class Scale {
 public:
  explicit Scale(const std::optional<work::DecidedBy>& decided_by)
      : sign_(!decided_by || decided_by->is_higher_better ? 1 : -1),
        is_difference_(decided_by && decided_by->is_difference) {}

  [[nodiscard]] double of(double number) const { return sign_ * (is_difference_ ? number : std::log(number)); }
  // Returns whether numbers that do not vary, in as many processes as a verdict needs, say all: a growth of nothing.
  [[nodiscard]] bool may_be_constant() const { return is_difference_; }

 private:
  double sign_;
  bool is_difference_;
};

// Returns how much better `a` is in each earlier round that holds both, from equally many repetitions of both.
std::vector<double> contrasts(const CellSoFar& a, const CellSoFar& b, int before_round, const Scale& scale) {
  const std::size_t count = std::min(fewest_numbers(a, before_round), fewest_numbers(b, before_round));
  std::vector<double> found;
  for (const auto& [round, numbers] : a.numbers) {
    const auto other = b.numbers.find(round);
    if (round >= before_round || other == b.numbers.end() || count == 0) continue;
    found.push_back(scale.of(numbers[count - 1]) - scale.of(other->second[count - 1]));
  }
  return found;
}

std::optional<double> mean_on_scale(const CellSoFar& cell, int before_round, const Scale& scale) {
  std::vector<double> values;
  for (const auto& [round, numbers] : cell.numbers) {
    if (round < before_round && !numbers.empty()) values.push_back(scale.of(numbers.back()));
  }
  return values.empty() ? std::nullopt : std::optional(statistics::mean(values));
}

bool is_constant(const std::vector<double>& values) {
  return values.size() >= statistics::kLeastRounds &&
         std::ranges::all_of(values, [&](double each) { return each == values.front(); });
}

// Names the two compilers, whichever of them is the faster one.
std::string sides_of(const CellSoFar& cell, const CellSoFar& other) {
  const auto [one, two] =
      std::minmax({std::pair(cell.compiler_index, cell.load_index), std::pair(other.compiler_index, other.load_index)});
  return fmt::format("{} {} {} {}", one.first, one.second, two.first, two.second);
}

// Judges the questions of all groups together, and says which cells need further rounds.
class Judged {
 public:
  Judged(const work::Rounds& rounds, const statistics::VerdictRules& rules, const Scale& scale)
      : rounds_(rounds), rules_(rules), scale_(scale) {}

  void add(std::size_t group, const CellSoFar& cell, const CellSoFar& other, int before_round, double weight) {
    if (cell.has_failed || other.has_failed) return;
    std::vector<double> values = contrasts(cell, other, before_round, scale_);
    if (scale_.may_be_constant() && is_constant(values)) return;
    asked_.push_back({group, cell.cell_index, other.cell_index});
    questions_.push_back({statistics::Part{std::move(values)}});
    contexts_.push_back({.looked_at = std::clamp(rounds_.max, statistics::kFirstLook, statistics::kMostLookedAt),
                         .weight = weight,
                         .sides = sides_of(cell, other)});
  }

  void add_needs_to(std::vector<NextRound>& next) const {
    const std::vector<statistics::Judgement> judgements = statistics::judge(questions_, rules_, contexts_);
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      if (judgements[i].verdict != statistics::Verdict::undecided) continue;
      NextRound& needs = next[asked_[i].group];
      needs.cells.insert({asked_[i].cell, asked_[i].other});
      const int had = static_cast<int>(questions_[i].front().values.size());
      const int needed = std::min(judgements[i].rounds_needed.value_or(rounds_.max), rounds_.max);
      needs.rounds_left = std::max({needs.rounds_left, needed - had, 1});
    }
  }

 private:
  struct Asked {
    std::size_t group = 0;
    int cell = 0;  // indices of the job
    int other = 0;
  };
  const work::Rounds& rounds_;
  const statistics::VerdictRules& rules_;
  const Scale& scale_;
  std::vector<Asked> asked_{};
  std::vector<statistics::Question> questions_{};
  std::vector<statistics::Context> contexts_{};
};

using Pair = std::pair<const CellSoFar*, const CellSoFar*>;

std::vector<Pair> pairs_asked(const GroupSoFar& group) {
  std::map<int, const CellSoFar*> by_index;
  for (const CellSoFar& cell : group.cells) by_index[cell.cell_index] = &cell;
  std::vector<Pair> pairs;
  for (const work::Question& question : group.asked) {
    const auto cell = by_index.find(question.cell_index);
    const auto baseline = by_index.find(question.baseline_index);
    if (cell != by_index.end() && baseline != by_index.end()) pairs.emplace_back(cell->second, baseline->second);
  }
  return pairs;
}

void add_races(std::size_t index, const GroupSoFar& group, const Scale& scale, Judged& judged) {
  std::map<int, std::vector<std::pair<double, const CellSoFar*>>> by_load;
  for (const CellSoFar& cell : group.cells) {
    const std::optional<double> mean = mean_on_scale(cell, group.round, scale);
    if (mean && !cell.has_failed) by_load[cell.load_index].emplace_back(*mean, &cell);
  }
  for (const auto& [load, cells] : by_load) {
    const CellSoFar& leader = *std::max_element(cells.begin(), cells.end(), [](const auto& one, const auto& other) {
                                 return one.first < other.first;  // of equals, the first one
                               })->second;
    for (const auto& [mean, cell] : cells) {
      if (cell == &leader) continue;
      judged.add(index, leader, *cell, group.round, static_cast<double>(cells.size()) / 2);
    }
  }
}

}  // namespace

std::vector<NextRound> next_rounds(std::span<const GroupSoFar> groups, const work::Rounds& rounds,
                                   statistics::VerdictRules rules, const std::optional<work::DecidedBy>& decided_by) {
  rules.margin_ratio = rounds.margin_ratio;
  if (decided_by && decided_by->is_difference) rules.margin_difference = decided_by->margin;
  if (decided_by && !decided_by->is_difference) rules.margin_ratio = decided_by->margin;
  if (decided_by) rules.quiet_deviation.reset();  // that of speeds
  const Scale scale(decided_by);
  std::vector<NextRound> next(groups.size());
  Judged asked(rounds, rules, scale);
  std::map<std::string, Judged> of_two;  // compilers
  Judged races(rounds, rules, scale);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const auto& [cell, baseline] : pairs_asked(groups[i])) {
      asked.add(i, *cell, *baseline, groups[i].round, 1);
      of_two.try_emplace(sides_of(*cell, *baseline), rounds, rules, scale)
          .first->second.add(i, *cell, *baseline, groups[i].round, 1);
    }
    if (rounds.until == work::Until::decided) add_races(i, groups[i], scale, races);
  }
  asked.add_needs_to(next);
  for (const auto& [sides, judged] : of_two) judged.add_needs_to(next);
  races.add_needs_to(next);
  return next;
}

}  // namespace ngb::agent
