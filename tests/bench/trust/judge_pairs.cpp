// SPDX-License-Identifier: Apache-2.0
// judge_pairs: reads {"studies": [[[log ratio of a round, …], …of each cell], …], "adjustment": "holm"} on stdin
// (without "adjustment": Benjamini and Hochberg; with "max_rounds": 15, rounds were added until they were decided) and
// writes {"studies": [[{"verdict", "rounds_needed", "ratio", "p"},
// …], …]}: the verdicts of `ngb compare` and `ngb gate` on each study. Exits with status 2 if the input is something
// else.
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "statistics/verdict.h"

namespace {

using namespace ngb::statistics;
using nlohmann::json;

json judged(const json& study, const VerdictRules& rules, std::optional<int> max_rounds) {
  std::vector<Question> questions;
  for (const json& cell : study) questions.push_back({Part{cell.get<std::vector<double>>(), 1}});
  json found = json::array();
  const std::vector<Context> contexts(questions.size(), {.looked_at = max_rounds});
  for (const Judgement& each : judge(questions, rules, contexts)) {
    found.push_back({{"verdict", name(each.verdict)},
                     {"rounds_needed", each.rounds_needed ? json(*each.rounds_needed) : json(nullptr)},
                     {"ratio", std::exp(each.contrast.estimate)},
                     {"p", each.adjusted_p ? json(*each.adjusted_p) : json(nullptr)}});
  }
  return found;
}

}  // namespace

int main() {
  try {
    const json asked = json::parse(std::cin);
    VerdictRules rules;
    if (asked.value("adjustment", "") == "holm") rules.adjustment = Adjustment::holm;
    const std::optional<int> max_rounds =
        asked.contains("max_rounds") ? std::optional(asked["max_rounds"].get<int>()) : std::nullopt;
    json studies = json::array();
    for (const json& study : asked.at("studies")) studies.push_back(judged(study, rules, max_rounds));
    std::cout << json{{"studies", std::move(studies)}}.dump() << '\n';
  } catch (const json::exception& error) {
    std::cerr << "judge_pairs: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
