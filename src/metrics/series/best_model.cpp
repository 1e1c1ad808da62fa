// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/best_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/json_text.h"
#include "metrics/ratios.h"
#include "metrics/series/workload.h"
#include "statistics/verdict.h"
#include "work/decided_by.h"

namespace ngb::metrics::series {
namespace {

using store::CellData;

bool are_rounds_over_models(const CellData& cell) { return cell.rounds && cell.rounds->over == work::Over::models; }
bool is_speed(const Judged& by) { return by.metric == nullptr || by.name() == std::string_view(work::kSavedBits); }

// Returns the values of the cell's processes by which it is judged; null if it takes part in no verdict.
const std::vector<OfRound>* judged_values_of(const Analysis& analysis, const Judged& by, std::size_t cell) {
  const Steady& steady = analysis.steady(cell);
  if (!steady.reason.empty() || !steady.no_verdict.empty()) return nullptr;
  if (by.metric == nullptr) return &steady.throughput_by_process;
  return steady.judged && steady.judged->value ? &*steady.judged->value : nullptr;
}

// Returns how good the cell is, on the scale on which cells are compared: the higher the better.
double goodness_of_setting(const Analysis& analysis, const Judged& by, std::size_t cell) {
  const double value = mean_by(by, *judged_values_of(analysis, by, cell));
  const double sign = by.metric == nullptr || by.metric->is_higher_better() ? 1 : -1;
  return sign * (by.is_by_difference() ? value : std::log(value));
}

// Returns how much better `a` is than `b`.
Relation contrast_of_models(const Analysis& analysis, const Judged& by, std::size_t a, std::size_t b) {
  if (are_rounds_over_models(analysis.cell(a)) && is_speed(by)) {
    const LikeSpeeds alike = like_speeds(analysis.steady(a), analysis.steady(b));
    const bool is_of_speed = by.metric == nullptr;
    std::vector<double> ratios = log_ratios_of_rounds(is_of_speed ? alike.a : *judged_values_of(analysis, by, a),
                                                      is_of_speed ? alike.b : *judged_values_of(analysis, by, b));
    if (!ratios.empty()) return {.parts = {{std::move(ratios), 1}}, .cells = {{a, b}}};
  }
  return contrast_by(by, analysis, a, b);
}

// The settings of a race, by model and device.
struct ModelField {
  std::vector<std::string> models{};  // hashes, in the order of their first cells
  std::map<std::string, std::map<std::string, std::vector<std::size_t>>> cells{};
  std::set<std::string> places{};
};

std::vector<ModelField> fields_of(const Analysis& analysis, const Judged& by, const Goal& goal,
                                  const std::vector<bool>& allowed) {
  std::map<std::string, std::size_t> known;
  std::vector<ModelField> fields;
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    const CellData& cell = analysis.cell(i);
    if (!allowed[i] || !counts_for(goal, cell) || judged_values_of(analysis, by, i) == nullptr) continue;
    const std::string place = place_of(cell);
    const std::string where = goal.across == Across::each ? place : cell.of.load;
    const auto [found, is_new] = known.emplace(fmt::format("{}\n{}", where, cell.of.model.key.batch), fields.size());
    if (is_new) fields.emplace_back();
    ModelField& field = fields[found->second];
    const std::string& model = cell.of.model.key.hash;
    if (!field.cells.contains(model)) field.models.push_back(model);
    field.cells[model][place].push_back(i);
    field.places.insert(place);
  }
  return fields;
}

struct RankedModel {
  double goodness = 0;
  Contender contender{};
};

// Returns the models that have a setting on each device, the best first; adds to `choices` how many each could have
// had.
std::vector<RankedModel> ranked_models(const ModelField& field, const Analysis& analysis, const Judged& by,
                                       const Goal& goal, double& choices) {
  std::vector<RankedModel> all;
  for (const std::string& model : field.models) {
    const auto& by_place = field.cells.at(model);
    if (by_place.size() < field.places.size()) continue;
    RankedModel ranked;
    double of_model = 1;
    std::vector<double> each;
    for (const auto& [place, cells] : by_place) {
      const auto goodness = [&](std::size_t cell) { return goodness_of_setting(analysis, by, cell); };
      ranked.contender.cells.push_back(*std::ranges::max_element(cells, {}, goodness));
      each.push_back(goodness(ranked.contender.cells.back()));
      of_model *= static_cast<double>(cells.size());
    }
    choices += of_model;
    const auto worst = std::ranges::min_element(each) - each.begin();
    const bool is_worst = goal.across == Across::worst;
    ranked.contender.cell = ranked.contender.cells[is_worst ? static_cast<std::size_t>(worst) : 0];
    ranked.goodness = is_worst ? each[static_cast<std::size_t>(worst)] : statistics::mean(each);
    all.push_back(std::move(ranked));
  }
  std::ranges::stable_sort(all, std::greater<>(), &RankedModel::goodness);
  return all;
}

// Asks how much better the leader is.
Question question_of(const Analysis& analysis, const Judged& by, const Goal& goal, const Contender& leader,
                     const Contender& other) {
  if (goal.across == Across::worst) return contrast_of_models(analysis, by, leader.cell, other.cell).parts;
  Question mean;
  for (std::size_t i = 0; i < leader.cells.size(); ++i) {
    for (statistics::Part& part : contrast_of_models(analysis, by, leader.cells[i], other.cells[i]).parts) {
      part.weight /= static_cast<double>(leader.cells.size());
      mean.push_back(std::move(part));
    }
  }
  return mean;
}

VerdictRules rules_of_models(const Judged& by, const Analysis& analysis) {
  VerdictRules rules{.margin_ratio = by.margin_ratio};
  if (by.is_by_difference()) rules.margin_difference = by.margin_difference;
  const bool are_early = analysis.size() > 0 && are_rounds_over_models(analysis.cell(0)) && is_speed(by) &&
                         analysis.cell(0).rounds->min < static_cast<int>(statistics::kLeastRounds);
  if (are_early) rules.early_deviation = statistics::kEarlyDeviation;
  return rules;
}

}  // namespace

bool ModelRace::is_won() const {
  return std::all_of(std::next(contenders.begin()), contenders.end(),
                     [](const Contender& each) { return each.is_out(); });
}

bool is_one_network_varied(const Analysis& analysis) {
  std::map<std::string, std::string> models;  // parameters by hash
  std::set<std::string> different;
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    const CellData& cell = analysis.cell(i);
    const auto& parameters = cell.recipe_parameters;
    if (cell.of.model.is_variant() || !parameters.is_object() || parameters.contains("context")) return false;
    if (model_group_of(cell) != model_group_of(analysis.cell(0))) return false;
    models.emplace(cell.of.model.key.hash, json_text::dump(parameters));
  }
  for (const auto& [hash, parameters] : models) different.insert(parameters);
  return models.size() > 1 && different.size() == models.size();
}

bool counts_for(const Goal& goal, const CellData& cell) {
  return goal.on.empty() || std::ranges::find(goal.on, cell.of.device) != goal.on.end();
}

Value value_of(const Analysis& analysis, const Judged& by, const Goal& goal, const Contender& contender) {
  if (goal.across != Across::mean) return find_metric(by.name())->compute(analysis, contender.cell);
  const auto places = static_cast<double>(contender.cells.size());
  std::vector<statistics::Part> parts;
  for (const std::size_t cell : contender.cells) {
    statistics::Part& part = parts.emplace_back(statistics::Part{{}, 1 / places});
    for (const OfRound& each : *judged_values_of(analysis, by, cell)) {
      part.values.push_back(by.is_by_difference() ? each.value : std::log(each.value));
    }
  }
  const statistics::Contrast mean = statistics::contrast(parts, analysis.error_rate());
  if (!by.is_by_difference()) return ratio_of(mean);
  if (!mean.interval) return {mean.estimate};
  return {mean.estimate, mean.interval->low, mean.interval->high};
}

std::vector<ModelRace> races_of_models(const Analysis& analysis, const Judged& by, const Goal& goal,
                                       const std::vector<bool>& allowed) {
  std::vector<ModelRace> races;
  std::vector<Question> questions;
  std::vector<statistics::Context> contexts;
  for (const ModelField& field : fields_of(analysis, by, goal, allowed)) {
    double choices = 0;
    std::vector<RankedModel> ranked = ranked_models(field, analysis, by, goal, choices);
    if (ranked.size() < 2) continue;
    ModelRace& race = races.emplace_back();
    for (RankedModel& each : ranked) race.contenders.push_back(std::move(each.contender));
    const Contender& leader = race.contenders.front();
    for (auto other = std::next(race.contenders.begin()); other != race.contenders.end(); ++other) {
      questions.push_back(question_of(analysis, by, goal, leader, *other));
      contexts.push_back(context_of(analysis, leader.cell, other->cell));
      contexts.back().weight = choices / 2;
    }
  }
  std::vector<Judgement> judgements = judge(questions, rules_of_models(by, analysis), contexts);
  auto next = judgements.begin();
  for (ModelRace& race : races) {
    const std::size_t leader = race.contenders.front().cell;
    for (auto other = std::next(race.contenders.begin()); other != race.contenders.end(); ++other) {
      other->judgement = std::move(*next++);
      if (by.metric == nullptr || goal.across == Across::mean) continue;
      const auto exact =
          exact_judgement(by, *judged_values_of(analysis, by, leader), *judged_values_of(analysis, by, other->cell));
      if (exact) other->judgement = *exact;
    }
  }
  return races;
}

}  // namespace ngb::metrics::series
