// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/fastest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "metrics/series/workload.h"

namespace ngb::metrics::series {
namespace {

using store::CellData;

// Returns how good a cell is; nothing: it takes part in no race.
std::optional<double> goodness_of(const Analysis& analysis, const Judged& by, std::size_t cell) {
  const Steady& steady = analysis.steady(cell);
  if (!steady.reason.empty() || !steady.no_verdict.empty()) return std::nullopt;
  if (by.metric == nullptr) return find_metric("throughput_per_s")->compute(analysis, cell).value.value_or(0);
  if (!steady.judged || !steady.judged->value) return std::nullopt;
  return (by.metric->is_higher_better() ? 1 : -1) * mean_by(by, *steady.judged->value);
}

// Returns the cells of each workload on a device, the best first.
std::vector<std::vector<std::size_t>> entrants_of(const Analysis& analysis, const Judged& by) {
  std::map<std::string, std::size_t> known;
  std::vector<std::vector<std::size_t>> workloads;
  std::vector<double> goodness(analysis.size());
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    const std::optional<double> of_cell = goodness_of(analysis, by, i);
    if (!of_cell) continue;
    goodness[i] = *of_cell;
    const auto [place, is_new] = known.emplace(key_of_workload(analysis.cell(i)), workloads.size());
    if (is_new) workloads.emplace_back();
    workloads[place->second].push_back(i);
  }
  std::erase_if(workloads, [](const auto& cells) { return cells.size() < 2; });
  for (auto& cells : workloads) {
    std::stable_sort(cells.begin(), cells.end(),
                     [&](std::size_t a, std::size_t b) { return goodness[a] > goodness[b]; });
  }
  return workloads;
}

FindingRow row_of_race(const Analysis& analysis, const Race& race) {
  const CellData& cell = analysis.cell(race.leader);
  const std::size_t next = race.rivals.front().cell;
  return {.device = name_of_place(cell),
          .compiler = compiler_of(cell),
          .model = cell.of.model.label,
          .batch_sizes = std::to_string(cell.of.model.key.batch),
          .against = compiler_of(analysis.cell(next)),
          .metric = "T_c / T_runner-up",
          .value = ratio_value(analysis, log_ratio(analysis, race.leader, next)),
          .outcome = race.is_won() ? "fastest" : "not told apart",
          .adjusted_p = race.adjusted_p(),
          .cell_ids = {cell.cell_id, analysis.cell(next).cell_id}};
}

Finding finding_of(const Analysis& analysis, const std::vector<const Race*>& led, std::size_t workloads) {
  const CellData& first = analysis.cell(led.front()->leader);
  Finding finding{.kind = "fastest", .is_difference = true};
  std::size_t won = 0;
  std::set<std::string> beside;
  for (const Race* race : led) {
    finding.rows.push_back(row_of_race(analysis, *race));
    if (race->is_won()) ++won;
    for (const std::size_t each : race->candidates()) {
      if (each != race->leader) beside.insert(compiler_in_words(analysis.cell(each)));
    }
  }
  finding.sentence = fmt::format("{} is the fastest on {} of {} workloads on {}", compiler_in_words(first), won,
                                 workloads, name_of_place(first));
  if (won < led.size()) {
    finding.sentence += fmt::format("; on {} more it leads and is not told apart from {}", led.size() - won,
                                    text::join(std::vector<std::string>(beside.begin(), beside.end()), ", "));
  }
  finding.sentence += '.';
  return finding;
}

}  // namespace

bool Rival::is_same() const {
  const auto& interval = judgement.contrast.interval;
  return judgement.verdict == Verdict::same ||
         (is_slower() && interval && interval->low > -limit && interval->high < limit);
}

bool Race::is_won() const {
  return std::all_of(rivals.begin(), rivals.end(), [](const Rival& rival) { return rival.is_slower(); });
}

std::vector<std::size_t> Race::candidates() const {
  std::vector<std::size_t> found{leader};
  for (const Rival& rival : rivals) {
    if (!rival.is_slower()) found.push_back(rival.cell);
  }
  return found;
}

double Race::adjusted_p() const {
  double largest = 0;
  for (const Rival& rival : rivals) largest = std::max(largest, rival.judgement.adjusted_p.value_or(1));
  return largest;
}

std::vector<Race> races_of(const Analysis& analysis, const Judged& by) {
  std::vector<Race> races;
  std::vector<Question> questions;
  std::vector<statistics::Context> contexts;
  for (const auto& cells : entrants_of(analysis, by)) {
    Race& race = races.emplace_back(Race{.leader = cells.front()});
    for (auto other = std::next(cells.begin()); other != cells.end(); ++other) {
      race.rivals.push_back({.cell = *other, .limit = by.limit()});
      questions.push_back(contrast_by(by, analysis, race.leader, *other).parts);
      contexts.push_back(context_of(analysis, race.leader, *other));
      contexts.back().weight = static_cast<double>(cells.size()) / 2;
    }
  }
  VerdictRules rules{.margin_ratio = by.margin_ratio};
  if (by.is_by_difference()) rules.margin_difference = by.margin_difference;
  std::vector<Judgement> judgements = judge(questions, rules, contexts);
  auto next = judgements.begin();
  for (Race& race : races) {
    for (Rival& rival : race.rivals) {
      rival.judgement = std::move(*next++);
      if (by.metric == nullptr) continue;
      const auto exact =
          exact_judgement(by, *analysis.steady(race.leader).judged->value, *analysis.steady(rival.cell).judged->value);
      if (exact) rival.judgement = *exact;
    }
  }
  return races;
}

std::vector<Finding> about_fastest(const Analysis& analysis) {
  const std::vector<Race> races = races_of(analysis);
  const double kinds = static_cast<double>(finding_kinds().size());
  const bool may_differ = std::any_of(races.begin(), races.end(),
                                      [&](const Race& race) { return race.adjusted_p() < kSentenceErrorRate / kinds; });
  if (!may_differ) return {};
  std::map<std::string, std::size_t> workloads;  // on a device
  std::map<std::string, std::size_t> known;
  std::vector<std::vector<const Race*>> leaders;
  for (const Race& race : races) {
    const CellData& cell = analysis.cell(race.leader);
    ++workloads[place_of(cell)];
    const auto [place, is_new] = known.emplace(place_of(cell) + '\n' + analysis.settings().of(cell), leaders.size());
    if (is_new) leaders.emplace_back();
    leaders[place->second].push_back(&race);
  }
  std::vector<Finding> findings;
  for (const auto& led : leaders) {
    const bool has_won = std::any_of(led.begin(), led.end(), [](const Race* race) { return race->is_won(); });
    if (has_won) findings.push_back(finding_of(analysis, led, workloads[place_of(analysis.cell(led.front()->leader))]));
  }
  return findings;
}

}  // namespace ngb::metrics::series
