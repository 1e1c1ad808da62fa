// SPDX-License-Identifier: Apache-2.0
#include "agent/next_round.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "statistics/sequential.h"

namespace ngb::agent {
namespace {

using Rates = std::vector<double>;
using Pair = std::pair<const CellSoFar*, const CellSoFar*>;

double log_mean_of_first(const Rates& rates, std::size_t count) {
  return std::log(statistics::mean(std::span(rates).first(count)));
}

std::size_t fewest_repetitions(const CellSoFar& cell, int before_round) {
  std::size_t fewest = cell.rates.empty() ? 0 : cell.rates.begin()->second.size();
  for (auto of_round = cell.rates.begin(); of_round != cell.rates.lower_bound(before_round); ++of_round) {
    fewest = std::min(fewest, of_round->second.size());
  }
  return fewest;
}

// Returns log(a / b) of each earlier round that holds both, from equally many repetitions of both.
std::vector<double> log_ratios(const CellSoFar& a, const CellSoFar& b, int before_round) {
  const std::size_t count = std::min(fewest_repetitions(a, before_round), fewest_repetitions(b, before_round));
  std::vector<double> ratios;
  for (const auto& [round, rates] : a.rates) {
    const auto other = b.rates.find(round);
    if (round >= before_round || other == b.rates.end() || count == 0) continue;
    ratios.push_back(log_mean_of_first(rates, count) - log_mean_of_first(other->second, count));
  }
  return ratios;
}

std::optional<double> mean_log_speed(const CellSoFar& cell, int before_round) {
  Rates logs;
  for (const auto& [round, rates] : cell.rates) {
    if (round < before_round && !rates.empty()) logs.push_back(log_mean_of_first(rates, rates.size()));
  }
  return logs.empty() ? std::nullopt : std::optional(statistics::mean(logs));
}

std::optional<Pair> two_fastest(std::span<const CellSoFar> cells, int load_index, int before_round) {
  std::vector<std::pair<double, const CellSoFar*>> by_speed;
  for (const CellSoFar& cell : cells) {
    if (cell.load_index != load_index) continue;
    const std::optional<double> speed = mean_log_speed(cell, before_round);
    if (speed && !cell.has_failed) by_speed.emplace_back(*speed, &cell);
  }
  if (by_speed.size() < 2) return std::nullopt;
  std::partial_sort(by_speed.begin(), by_speed.begin() + 2, by_speed.end(), [](const auto& one, const auto& other) {
    return one.first != other.first ? one.first > other.first : one.second->cell_index < other.second->cell_index;
  });
  return Pair{by_speed[0].second, by_speed[1].second};
}

std::vector<Pair> pairs_asked(int round, std::span<const CellSoFar> cells, std::span<const work::Question> asked,
                              work::Until until) {
  std::map<int, const CellSoFar*> by_index;
  for (const CellSoFar& cell : cells) by_index[cell.cell_index] = &cell;
  std::vector<Pair> pairs;
  for (const work::Question& question : asked) {
    const auto cell = by_index.find(question.cell_index);
    const auto baseline = by_index.find(question.baseline_index);
    if (cell != by_index.end() && baseline != by_index.end()) pairs.emplace_back(cell->second, baseline->second);
  }
  std::set<int> loads;
  for (const CellSoFar& cell : cells) loads.insert(cell.load_index);
  for (const int load : loads) {
    const auto fastest = until == work::Until::decided ? two_fastest(cells, load, round) : std::nullopt;
    if (fastest) pairs.push_back(*fastest);
  }
  return pairs;
}

}  // namespace

NextRound next_round(int round, std::span<const CellSoFar> cells, std::span<const work::Question> asked,
                     const work::Protocol& protocol, double error_rate) {
  NextRound next;
  if (!protocol.rounds || round < protocol.rounds->min) {
    for (const CellSoFar& cell : cells) next.cells.insert(cell.cell_index);
    next.rounds_left = (protocol.rounds ? protocol.rounds->min : protocol.processes) - round;
    return next;
  }
  const work::Rounds& rules = *protocol.rounds;
  const statistics::Looks looks{rules.min, rules.max, error_rate, rules.margin_ratio};
  for (const auto& [cell, other] : pairs_asked(round, cells, asked, rules.until)) {
    if (cell->has_failed || other->has_failed) continue;
    const std::vector<double> ratios = log_ratios(*cell, *other, round);
    if (statistics::decide(ratios, looks) != statistics::Decision::open) continue;
    next.cells.insert({cell->cell_index, other->cell_index});
    const int left = statistics::rounds_to_decide(ratios, looks).value_or(rules.max) - static_cast<int>(ratios.size());
    next.rounds_left = std::max({next.rounds_left, left, 1});
  }
  return next;
}

}  // namespace ngb::agent
