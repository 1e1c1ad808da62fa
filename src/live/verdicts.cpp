// SPDX-License-Identifier: Apache-2.0
#include "live/verdicts.h"

#include <cmath>
#include <optional>
#include <utility>

#include "metrics/ratios.h"
#include "statistics/sequential.h"
#include "statistics/verdict.h"

namespace ngb::live {
namespace {

SpeedUp speed_up_of(const statistics::Judgement& judgement, std::size_t rounds) {
  const metrics::Value ratio = metrics::ratio_of(judgement.contrast);
  SpeedUp found{.ratio = *ratio.value, .low = ratio.low, .high = ratio.high};
  if (rounds >= statistics::kLeastRounds) found.verdict = name(judgement.verdict);
  return found;
}

}  // namespace

Verdicts::Verdicts(std::vector<Pair> pairs, int most_rounds) : pairs_(std::move(pairs)), most_rounds_(most_rounds) {}

void Verdicts::note(std::size_t cell, int round, double samples_per_s) {
  log_speeds_[cell][round] = std::log(samples_per_s);
  is_changed_ = true;
}

void Verdicts::show_in(State& state) {
  if (!std::exchange(is_changed_, false)) return;
  std::vector<std::size_t> cells;
  std::vector<statistics::Question> questions;
  std::vector<statistics::Context> contexts;
  const bool are_looks_known = most_rounds_ >= statistics::kFirstLook && most_rounds_ <= statistics::kMostLookedAt;
  for (const Pair& pair : pairs_) {
    const auto one = log_speeds_.find(pair.cell);
    const auto other = log_speeds_.find(pair.baseline);
    if (one == log_speeds_.end() || other == log_speeds_.end()) continue;
    statistics::Part rounds{.weight = 1};
    for (const auto& [round, log_speed] : one->second) {
      const auto same = other->second.find(round);
      if (same != other->second.end()) rounds.values.push_back(log_speed - same->second);
    }
    if (rounds.values.size() < 2) continue;
    cells.push_back(pair.cell);
    questions.push_back({std::move(rounds)});
    const Cell& cell = state.cells[pair.cell];
    contexts.push_back({.looked_at = are_looks_known ? std::optional(most_rounds_) : std::nullopt,
                        .sides = cell.device + '\n' + cell.compiler + '\n' + cell.load});
  }
  const std::vector<statistics::Judgement> judgements = statistics::judge(questions, {}, contexts);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t rounds = questions[i].front().values.size();
    state.cells.change(cells[i], [&](Cell& cell) { cell.speed_up = speed_up_of(judgements[i], rounds); });
  }
}

}  // namespace ngb::live
