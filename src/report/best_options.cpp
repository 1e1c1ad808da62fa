// SPDX-License-Identifier: Apache-2.0
#include "report/best_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "report/words.h"
#include "report/write/text.h"
#include "work/property.h"

namespace ngb::report {
namespace {

using nlohmann::json;
using store::CellData;

double speed_of(const CellData& cell, const metrics::Numbers& numbers) {
  return numbers.of(cell, "throughput_per_s").value.value_or(0);
}

BestOptions chosen_from(std::vector<const CellData*> cells, const metrics::Numbers& numbers) {
  BestOptions choice{.any = cells.front()};
  std::erase_if(cells, [&](const CellData* cell) { return speed_of(*cell, numbers) <= 0; });
  std::stable_sort(cells.begin(), cells.end(),
                   [&](const CellData* a, const CellData* b) { return speed_of(*a, numbers) > speed_of(*b, numbers); });
  if (!cells.empty()) choice.winner = cells[0];
  if (cells.size() < 2) return choice;
  choice.runner_up = cells[1];
  choice.margin = numbers.of(*choice.winner, "margin_ratio");
  return choice;
}

// {"over", "openvino threads=1"}
Row row_of_choice(const BestOptions& choice) {
  if (choice.winner == nullptr) {
    return {.entries = {{.value = choice.any->of.compiler.name}},
            .rest = Entry{.value = "none of its settings has a speed", .style = Style::bad}};
  }
  const Entry winner{.value = compiler_of(*choice.winner)};
  if (!choice.margin.value) {
    return {.entries = {winner}, .rest = Entry{.value = "no other setting has a speed"}};
  }
  Entry margin{.value = *choice.margin.value, .style = choice.is_told_apart() ? Style::good : Style::plain};
  if (choice.has_interval()) {
    margin.low = choice.margin.low;
    margin.high = choice.margin.high;
  }
  const char* relation = !choice.has_interval()   ? "over, by one process, "
                         : choice.is_told_apart() ? "over "
                                                  : "not told apart from ";
  return {.entries = {winner, margin, {.value = relation + compiler_of(*choice.runner_up)}}};
}

json configuration_json(const CellData* cell) {
  if (cell == nullptr) return nullptr;
  using work::Role;
  json object{{"cell_id", cell->cell_id}};
  for (const work::Property* each :
       work::properties_of({Role::label, Role::version, Role::options, Role::instances, Role::threads})) {
    object[each->name] = work::value_of(*each, cell->of);
  }
  return object;
}

json margin_json(const BestOptions& choice) {
  if (!choice.margin.value) return nullptr;
  json margin{{"value", *choice.margin.value}};
  if (choice.has_interval()) margin.update({{"low", *choice.margin.low}, {"high", *choice.margin.high}});
  return margin;
}

}  // namespace

bool BestOptions::has_interval() const { return margin.low && margin.high; }

bool BestOptions::is_told_apart() const { return margin.is_above_one() || margin.is_below_one(); }

std::vector<BestOptions> best_options(const std::vector<CellData>& cells, const metrics::Numbers& numbers,
                                      const std::function<bool(const CellData&)>& is_shown) {
  // A cell that failed before it reported its compute device is listed with the first that did.
  using Choice = std::string;
  const auto choice_of = [](const CellData& cell) {
    using work::Role;
    return work::key_of(cell.of, {Role::device, Role::model, Role::precision, Role::batch, Role::compiler, Role::load});
  };
  std::map<Choice, std::string> first_devices;
  for (const CellData& cell : cells) {
    if (cell.of.compute_device.value) first_devices.emplace(choice_of(cell), *cell.of.compute_device.value);
  }
  std::map<std::pair<Choice, std::string>, std::size_t> known;
  std::vector<std::vector<const CellData*>> by_choice;
  for (const CellData& cell : cells) {
    const Choice choice = choice_of(cell);
    const std::string device = cell.of.compute_device.value.value_or(first_devices[choice]);
    const auto [place, is_new] = known.emplace(std::pair(choice, device), by_choice.size());
    if (is_new) by_choice.emplace_back();
    by_choice[place->second].push_back(&cell);
  }
  std::vector<BestOptions> choices;
  for (std::vector<const CellData*>& choice : by_choice) {
    const bool is_one_shown =
        std::any_of(choice.begin(), choice.end(), [&](const auto* cell) { return is_shown(*cell); });
    if (choice.size() > 1 && is_one_shown) choices.push_back(chosen_from(std::move(choice), numbers));
  }
  return choices;
}

std::vector<Section> best_options_sections(const std::vector<BestOptions>& choices) {
  std::vector<Section> sections;
  const CellData* last = nullptr;
  for (const BestOptions& choice : choices) {
    if (last == nullptr || !is_same_workload_on_device(*last, *choice.any))
      sections.push_back({.title = workload_on_device(*choice.any)});
    sections.back().rows.push_back(row_of_choice(choice));
    last = choice.any;
  }
  return sections;
}

std::string best_options_table(std::vector<Section> sections, int width, bool color) {
  if (sections.empty()) return "\nBest options: no compiler was measured with several settings\n";
  Table table;
  table.columns = {text_column("best options"), number_column("margin [95 %]", 0, "ratio"), text_column("")};
  table.sections = std::move(sections);
  return '\n' + render(table, width, color).text;
}

json to_json(const std::vector<BestOptions>& choices) {
  json all = json::array();
  for (const BestOptions& choice : choices) {
    all.push_back({{"device", choice.any->of.device},
                   {"model", choice.any->of.model.label},
                   {"batch", choice.any->of.model.key.batch},
                   {"load", choice.any->of.load},
                   {"compiler", choice.any->of.compiler.name},
                   {"winner", configuration_json(choice.winner)},
                   {"runner_up", configuration_json(choice.runner_up)},
                   {"margin_ratio", margin_json(choice)},
                   {"is_told_apart", choice.has_interval() ? json(choice.is_told_apart()) : json(nullptr)}});
  }
  return all;
}

}  // namespace ngb::report
