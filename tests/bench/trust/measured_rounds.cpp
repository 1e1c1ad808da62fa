// SPDX-License-Identifier: Apache-2.0
// measured_rounds: reads {"max_rounds": 15, "gate": true, "models": [[[samples/s of a round, …] of either side], …]} on
// stdin and writes {"rounds": [how many of them a device measures of each model, …]}: both sides are two compilers, and
// the rounds end when `ngb gate` (without "gate": `ngb compare`) has decided. Exits with status 2 if the input is
// something else.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "agent/rounds.h"

namespace {

using namespace ngb;
using nlohmann::json;
using Speeds = std::vector<std::vector<double>>;  // by side and round

agent::CellSoFar cell_of(const std::vector<double>& speeds, int index, int side, int rounds) {
  agent::CellSoFar cell{.cell_index = index, .compiler_index = side};
  for (int round = 0; round < rounds; ++round) cell.numbers[round] = {speeds.at(static_cast<std::size_t>(round))};
  return cell;
}

// Adds a round of each model that needs one; returns whether there was any.
bool measure(const std::vector<Speeds>& models, const work::Rounds& rules, const statistics::VerdictRules& verdicts,
             std::vector<int>& rounds) {
  std::vector<std::vector<work::Question>> asked;
  for (int i = 0; i < static_cast<int>(models.size()); ++i) asked.push_back({{2 * i + 1, 2 * i}});
  std::vector<agent::GroupSoFar> groups;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const int first = asked[i][0].baseline_index;
    groups.push_back(
        {{cell_of(models[i].at(0), first, 0, rounds[i]), cell_of(models[i].at(1), first + 1, 1, rounds[i])},
         asked[i],
         rounds[i]});
  }
  const std::vector<agent::NextRound> next = agent::next_rounds(groups, rules, verdicts);
  bool has_any = false;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (next[i].cells.empty() || rounds[i] >= rules.max) continue;
    ++rounds[i];
    has_any = true;
  }
  return has_any;
}

}  // namespace

int main() {
  try {
    const json asked = json::parse(std::cin);
    const auto models = asked.at("models").get<std::vector<Speeds>>();
    const work::Rounds rules{.max = asked.at("max_rounds").get<int>(), .until = work::Until::decided_against_baseline};
    statistics::VerdictRules verdicts;
    if (asked.value("gate", false)) verdicts.adjustment = statistics::Adjustment::holm;
    std::vector<int> rounds(models.size(), rules.min);
    while (measure(models, rules, verdicts, rounds)) {
    }
    std::cout << json{{"rounds", rounds}}.dump() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "measured_rounds: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
