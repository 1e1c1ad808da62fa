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

// A cell and the group of its model.
struct Setting {
  const GroupSoFar* group = nullptr;
  const CellSoFar* cell = nullptr;
  std::size_t group_index = 0;
};

// Returns how much better `a` is in each round that both groups have had and that holds both cells, from equally many
// repetitions of both.
std::vector<double> contrasts(const Setting& a, const Setting& b, const Scale& scale) {
  const int before_round = std::min(a.group->round, b.group->round);
  const std::size_t count = std::min(fewest_numbers(*a.cell, before_round), fewest_numbers(*b.cell, before_round));
  std::vector<double> found;
  for (const auto& [round, numbers] : a.cell->numbers) {
    const auto other = b.cell->numbers.find(round);
    if (round >= before_round || other == b.cell->numbers.end() || count == 0) continue;
    found.push_back(scale.of(a.group->factor * numbers[count - 1]) -
                    scale.of(b.group->factor * other->second[count - 1]));
  }
  return found;
}

// Returns a number of each process of the group's earlier rounds, times `factor`, on the scale.
std::vector<double> on_scale(const Setting& setting, double factor, const Scale& scale) {
  std::vector<double> values;
  for (const auto& [round, numbers] : setting.cell->numbers) {
    if (round < setting.group->round && !numbers.empty()) values.push_back(scale.of(factor * numbers.back()));
  }
  return values;
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

  void add(const Setting& setting, const Setting& other, double weight) {
    if (setting.cell->has_failed || other.cell->has_failed) return;
    std::vector<double> values = contrasts(setting, other, scale_);
    if (scale_.may_be_constant() && is_constant(values)) return;
    asked_.emplace_back(setting, other);
    questions_.push_back({statistics::Part{std::move(values)}});
    contexts_.push_back({.looked_at = std::clamp(rounds_.max, statistics::kFirstLook, statistics::kMostLookedAt),
                         .weight = weight,
                         .sides = sides_of(*setting.cell, *other.cell)});
  }

  // Of two groups the one that has had fewer rounds needs the next one, so that they will have had the same ones.
  void add_needs_to(std::vector<NextRound>& next) const {
    const std::vector<statistics::Judgement> judgements = statistics::judge(questions_, rules_, contexts_);
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      if (judgements[i].verdict != statistics::Verdict::undecided) continue;
      const auto& [one, two] = asked_[i];
      const int had = static_cast<int>(questions_[i].front().values.size());
      const int needed = std::min(judgements[i].rounds_needed.value_or(rounds_.max), rounds_.max);
      for (const Setting& each : {one, two}) {
        if (each.group->round > std::min(one.group->round, two.group->round)) continue;
        NextRound& needs = next[each.group_index];
        needs.cells.insert(each.cell->cell_index);
        needs.rounds_left = std::max({needs.rounds_left, needed - had, 1});
      }
    }
  }

 private:
  const work::Rounds& rounds_;
  const statistics::VerdictRules& rules_;
  const Scale& scale_;
  std::vector<std::pair<Setting, Setting>> asked_{};
  std::vector<statistics::Question> questions_{};
  std::vector<statistics::Context> contexts_{};
};

using Pair = std::pair<Setting, Setting>;

std::vector<Pair> pairs_asked(const GroupSoFar& group, std::size_t index) {
  std::map<int, Setting> by_index;
  for (const CellSoFar& cell : group.cells) by_index[cell.cell_index] = {&group, &cell, index};
  std::vector<Pair> pairs;
  for (const work::Question& question : group.asked) {
    const auto cell = by_index.find(question.cell_index);
    const auto baseline = by_index.find(question.baseline_index);
    if (cell != by_index.end() && baseline != by_index.end()) pairs.emplace_back(cell->second, baseline->second);
  }
  return pairs;
}

// A setting that takes part in a race, with its mean on the scale.
struct Entrant : Setting {
  double mean = 0;
};
const Entrant& best_of(const std::vector<Entrant>& entrants) {
  return *std::ranges::max_element(entrants, {}, &Entrant::mean);  // of equals, the first one
}

// Adds the group's settings to those of their batch size and load.
using Entrants = std::map<std::pair<int, int>, std::vector<Entrant>>;
void add_entrants(const GroupSoFar& group, std::size_t index, const Scale& scale, Entrants& entrants) {
  if (group.factor <= 0) return;
  for (const CellSoFar& cell : group.cells) {
    const Setting setting{&group, &cell, index};
    const std::vector<double> values = on_scale(setting, group.factor, scale);
    if (values.empty() || cell.has_failed) continue;
    entrants[{group.batch, cell.load_index}].push_back({setting, statistics::mean(values)});
  }
}

void add_races(const GroupSoFar& group, std::size_t index, const Scale& scale, Judged& judged) {
  Entrants entrants;
  add_entrants(group, index, scale, entrants);
  for (const auto& [place, race] : entrants) {
    const Entrant& leader = best_of(race);
    for (const Entrant& each : race) {
      if (each.cell != leader.cell) judged.add(leader, each, static_cast<double>(race.size()) / 2);
    }
  }
}

// Returns by what a number of inferences is multiplied to become one of the metric.
double samples_of(const GroupSoFar& group, const std::string& metric) {
  if (metric == work::kSpeed || metric == work::kSamplesInWindow) return group.batch;
  return metric == work::kSavedBits ? group.batch * group.saved_bits : 1;
}

// Returns whether the setting has kept all bounds so far; with a doubt, whether it may keep them.
bool keeps_bounds(const Setting& setting, const std::vector<work::DecidingBound>& bounds, double doubt) {
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const double factor = samples_of(*setting.group, bounds[i].metric);
    std::vector<double> above;
    for (const auto& [round, kept] : setting.cell->kept) {
      if (round < setting.group->round && i < kept.size()) {
        above.push_back(std::log(bounds[i].is_least ? kept[i] * factor : kept[i] / factor));
      }
    }
    const double beyond = doubt / std::sqrt(static_cast<double>(above.size()));
    if (above.empty() || !(statistics::mean(above) + beyond >= 0)) return false;
  }
  return true;
}

void add_races_of_models(std::span<const GroupSoFar> groups, const Scale& scale,
                         const std::vector<work::DecidingBound>& bounds, Judged& judged) {
  constexpr double kDoubt = 3 * statistics::kEarlyDeviation;  // three standard deviations of a process, or more
  Entrants entrants;
  for (std::size_t i = 0; i < groups.size(); ++i) add_entrants(groups[i], i, scale, entrants);
  for (auto& [place, race] : entrants) {
    std::vector<Entrant> leaders = race;
    std::erase_if(race, [&](const Entrant& each) { return !keeps_bounds(each, bounds, kDoubt); });
    std::erase_if(leaders, [&](const Entrant& each) { return !keeps_bounds(each, bounds, 0); });
    if (leaders.empty()) leaders = race;
    if (leaders.empty()) continue;
    const Entrant leader = best_of(leaders);
    for (const Entrant& each : race) {
      if (each.group != leader.group) judged.add(leader, each, static_cast<double>(race.size()) / 2);
    }
  }
}

}  // namespace

std::vector<NextRound> next_rounds(std::span<const GroupSoFar> groups, const work::Rounds& rounds,
                                   statistics::VerdictRules rules, const std::optional<work::DecidedBy>& decided_by) {
  rules.margin_ratio = rounds.margin_ratio;
  if (decided_by && decided_by->is_difference) rules.margin_difference = decided_by->margin;
  if (decided_by && !decided_by->is_difference) rules.margin_ratio = decided_by->margin;
  const bool are_speeds = !decided_by || decided_by->is_by_speed();
  if (!are_speeds) rules.quiet_deviation.reset();
  if (!are_speeds || rounds.min >= static_cast<int>(statistics::kLeastRounds)) {
    rules.early_deviation.reset();
  }
  const Scale scale(decided_by);
  std::vector<NextRound> next(groups.size());
  if (rounds.over == work::Over::models) {
    Judged races(rounds, rules, scale);
    add_races_of_models(groups, scale, decided_by.value_or(work::DecidedBy{}).bounds, races);
    races.add_needs_to(next);
    return next;
  }
  Judged asked(rounds, rules, scale);
  std::map<std::string, Judged> of_two;  // compilers
  Judged races(rounds, rules, scale);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const auto& [cell, baseline] : pairs_asked(groups[i], i)) {
      asked.add(cell, baseline, 1);
      of_two.try_emplace(sides_of(*cell.cell, *baseline.cell), rounds, rules, scale)
          .first->second.add(cell, baseline, 1);
    }
    if (rounds.until == work::Until::decided) add_races(groups[i], i, scale, races);
  }
  asked.add_needs_to(next);
  for (const auto& [sides, judged] : of_two) judged.add_needs_to(next);
  races.add_needs_to(next);
  return next;
}

}  // namespace ngb::agent
