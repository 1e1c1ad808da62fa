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

std::size_t fewest_repetitions(const CellSoFar& cell, int before_round) {
  std::size_t fewest = cell.speeds.empty() ? 0 : cell.speeds.begin()->second.size();
  for (auto of_round = cell.speeds.begin(); of_round != cell.speeds.lower_bound(before_round); ++of_round) {
    fewest = std::min(fewest, of_round->second.size());
  }
  return fewest;
}

// Returns log(a / b) of each earlier round that holds both, from equally many repetitions of both.
std::vector<double> log_ratios(const CellSoFar& a, const CellSoFar& b, int before_round) {
  const std::size_t count = std::min(fewest_repetitions(a, before_round), fewest_repetitions(b, before_round));
  std::vector<double> ratios;
  for (const auto& [round, speeds] : a.speeds) {
    const auto other = b.speeds.find(round);
    if (round >= before_round || other == b.speeds.end() || count == 0) continue;
    ratios.push_back(std::log(speeds[count - 1] / other->second[count - 1]));
  }
  return ratios;
}

std::optional<double> mean_log_speed(const CellSoFar& cell, int before_round) {
  std::vector<double> logs;
  for (const auto& [round, speeds] : cell.speeds) {
    if (round < before_round && !speeds.empty()) logs.push_back(std::log(speeds.back()));
  }
  return logs.empty() ? std::nullopt : std::optional(statistics::mean(logs));
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
  Judged(const work::Rounds& rounds, const statistics::VerdictRules& rules) : rounds_(rounds), rules_(rules) {}

  void add(std::size_t group, const CellSoFar& cell, const CellSoFar& other, int before_round, double weight) {
    if (cell.has_failed || other.has_failed) return;
    asked_.push_back({group, cell.cell_index, other.cell_index});
    questions_.push_back({statistics::Part{log_ratios(cell, other, before_round)}});
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

void add_races(std::size_t index, const GroupSoFar& group, Judged& judged) {
  std::map<int, std::vector<std::pair<double, const CellSoFar*>>> by_load;
  for (const CellSoFar& cell : group.cells) {
    const std::optional<double> speed = mean_log_speed(cell, group.round);
    if (speed && !cell.has_failed) by_load[cell.load_index].emplace_back(*speed, &cell);
  }
  for (const auto& [load, cells] : by_load) {
    const CellSoFar& leader = *std::max_element(cells.begin(), cells.end(), [](const auto& one, const auto& other) {
                                 return one.first < other.first;  // of equals, the first one
                               })->second;
    for (const auto& [speed, cell] : cells) {
      if (cell == &leader) continue;
      judged.add(index, leader, *cell, group.round, static_cast<double>(cells.size()) / 2);
    }
  }
}

}  // namespace

std::vector<NextRound> next_rounds(std::span<const GroupSoFar> groups, const work::Rounds& rounds,
                                   statistics::VerdictRules rules) {
  rules.margin_ratio = rounds.margin_ratio;
  std::vector<NextRound> next(groups.size());
  Judged asked(rounds, rules);
  std::map<std::string, Judged> of_two;  // compilers
  Judged races(rounds, rules);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const auto& [cell, baseline] : pairs_asked(groups[i])) {
      asked.add(i, *cell, *baseline, groups[i].round, 1);
      of_two.try_emplace(sides_of(*cell, *baseline), rounds, rules)
          .first->second.add(i, *cell, *baseline, groups[i].round, 1);
    }
    if (rounds.until == work::Until::decided) add_races(i, groups[i], races);
  }
  asked.add_needs_to(next);
  for (const auto& [sides, judged] : of_two) judged.add_needs_to(next);
  races.add_needs_to(next);
  return next;
}

}  // namespace ngb::agent
