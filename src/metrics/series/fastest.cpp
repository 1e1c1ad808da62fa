// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/fastest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "metrics/series/relation.h"
#include "metrics/series/workload.h"
#include "metrics/verdict.h"

namespace ngb::metrics::series {
namespace {

using store::CellData;

double speed_of(const Analysis& analysis, std::size_t cell) {
  return find_metric("throughput_per_s")->compute(analysis, cell).value.value_or(0);
}

// Returns the cells of each workload on a device, the fastest first.
std::vector<std::vector<std::size_t>> entrants_of(const Analysis& analysis) {
  std::map<std::string, std::size_t> known;
  std::vector<std::vector<std::size_t>> workloads;
  std::vector<double> speeds(analysis.size());
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    if (!analysis.steady(i).reason.empty() || !analysis.steady(i).no_verdict.empty()) continue;
    speeds[i] = speed_of(analysis, i);
    const CellData& cell = analysis.cell(i);
    const auto [place, is_new] = known.emplace(
        fmt::format("{}\n{}\n{}", place_of(cell), cell.of.model.key.hash, cell.of.model.key.batch), workloads.size());
    if (is_new) workloads.emplace_back();
    workloads[place->second].push_back(i);
  }
  std::erase_if(workloads, [](const auto& cells) { return cells.size() < 2; });
  for (auto& cells : workloads) {
    std::stable_sort(cells.begin(), cells.end(), [&](std::size_t a, std::size_t b) { return speeds[a] > speeds[b]; });
  }
  return workloads;
}

FindingRow row_of_race(const Analysis& analysis, const Race& race, bool is_won) {
  const CellData& cell = analysis.cell(race.leader);
  return {.device = name_of_place(cell),
          .compiler = compiler_of(cell),
          .model = cell.of.model.label,
          .batch_sizes = std::to_string(cell.of.model.key.batch),
          .against = compiler_of(analysis.cell(race.runner_up)),
          .metric = "T_c / T_runner-up",
          .value = ratio_value(analysis, log_ratio(analysis, race.leader, race.runner_up)),
          .outcome = is_won ? "fastest" : "not told apart",
          .adjusted_p = race.adjusted_p,
          .cell_ids = {cell.cell_id, analysis.cell(race.runner_up).cell_id}};
}

Finding finding_of(const Analysis& analysis, const std::vector<const Race*>& led, std::size_t workloads) {
  const CellData& first = analysis.cell(led.front()->leader);
  Finding finding{.kind = "fastest", .is_difference = true};
  std::size_t won = 0;
  std::set<std::string> beside;
  for (const Race* race : led) {
    const bool is_won = race->adjusted_p < statistics::kErrorRate;
    finding.rows.push_back(row_of_race(analysis, *race, is_won));
    if (is_won)
      ++won;
    else
      beside.insert(compiler_of(analysis.cell(race->runner_up)));
  }
  finding.sentence = fmt::format("{} is the fastest on {} of {} workloads on {}", compiler_of(first), won, workloads,
                                 name_of_place(first));
  if (won < led.size()) {
    finding.sentence += fmt::format("; on {} more it leads and is not told apart from {}", led.size() - won,
                                    text::join(std::vector<std::string>(beside.begin(), beside.end()), ", "));
  }
  finding.sentence += '.';
  return finding;
}

}  // namespace

std::vector<Race> races_of(const Analysis& analysis) {
  std::vector<Race> races;
  std::vector<Question> questions;
  std::vector<std::optional<int>> looks;
  std::vector<std::size_t> race_of;
  for (const auto& cells : entrants_of(analysis)) {
    for (auto other = std::next(cells.begin()); other != cells.end(); ++other) {
      questions.push_back(log_ratio(analysis, cells.front(), *other).parts);
      looks.push_back(looks_of(analysis, cells.front(), questions.back()));
      race_of.push_back(races.size());
    }
    races.push_back({cells[0], cells[1], cells.size(), 0, 1});
  }
  const auto p_values = unadjusted_p_values(questions, {}, looks);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    Race& race = races[race_of[i]];
    race.p = std::max(race.p, p_values[i].value_or(1));
  }
  std::vector<double> all;
  for (Race& race : races) {
    race.p = std::min(1.0, race.p * static_cast<double>(race.entrants) / 2);
    all.push_back(race.p);
  }
  const std::vector<double> adjusted = benjamini_hochberg_adjusted(all);
  for (std::size_t i = 0; i < races.size(); ++i) races[i].adjusted_p = adjusted[i];
  return races;
}

std::vector<Finding> about_fastest(const Analysis& analysis) {
  const std::vector<Race> races = races_of(analysis);
  const double kinds = static_cast<double>(finding_kinds().size());
  const bool may_differ = std::any_of(races.begin(), races.end(),
                                      [&](const Race& race) { return race.adjusted_p < kSentenceErrorRate / kinds; });
  if (!may_differ) return {};
  std::map<std::string, std::size_t> workloads;  // on a device
  std::map<std::string, std::size_t> known;
  std::vector<std::vector<const Race*>> leaders;
  for (const Race& race : races) {
    const CellData& cell = analysis.cell(race.leader);
    ++workloads[place_of(cell)];
    const auto [place, is_new] = known.emplace(place_of(cell) + '\n' + setting_of(cell), leaders.size());
    if (is_new) leaders.emplace_back();
    leaders[place->second].push_back(&race);
  }
  std::vector<Finding> findings;
  for (const auto& led : leaders) {
    const bool has_won =
        std::any_of(led.begin(), led.end(), [](const Race* race) { return race->adjusted_p < statistics::kErrorRate; });
    if (has_won) findings.push_back(finding_of(analysis, led, workloads[place_of(analysis.cell(led.front()->leader))]));
  }
  return findings;
}

}  // namespace ngb::metrics::series
