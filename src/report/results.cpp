// SPDX-License-Identifier: Apache-2.0
#include "report/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "base/text.h"
#include "report/words.h"

namespace ngb::report {
namespace {

using store::CellData;
using store::DerivedValue;
using Words = std::vector<std::string>;

// name, meaning, words
constexpr std::array kFilters{
    Filter{"device", "Only cells of this device", [](const CellData& cell) { return Words{cell.device}; }},
    Filter{"compiler", "Only cells of this compiler: NAME, NAME@VERSION, or its name in the table",
           [](const CellData& cell) {
             return Words{cell.compiler, cell.compiler + "@" + cell.compiler_version, cell.compiler_label,
                          compiler_of(cell)};
           }},
    Filter{"model", "Only cells of this model, or of this family of models",
           [](const CellData& cell) { return Words{cell.model, cell.model_family}; }},
    Filter{"group", "Only cells of models of this group, such as ResNets",
           [](const CellData& cell) { return Words{cell.model_group}; }},
    Filter{"style", "Only cells of models of this style: convolutional, transformer or hybrid",
           [](const CellData& cell) { return Words{cell.model_style}; }},
    Filter{"batch", "Only cells of this batch size",
           [](const CellData& cell) { return Words{std::to_string(cell.batch)}; }},
    Filter{"load", "Only cells under this load, as the study and the table write it: none, \"cpu: 1\"",
           [](const CellData& cell) { return Words{cell.load}; }},
};

bool lets_through(const Filter& filter, const Words& wanted, const CellData& cell) {
  const Words words = filter.words(cell);
  return std::find_first_of(words.begin(), words.end(), wanted.begin(), wanted.end()) != words.end();
}

// Returns an error if one of the wanted words fits no cell.
ngb::Status check_words(const Filter& filter, const Words& wanted, const std::vector<CellData>& cells) {
  std::set<std::string> known;
  std::set<std::string> offered;
  for (const CellData& cell : cells) {
    const Words words = filter.words(cell);
    known.insert(words.begin(), words.end());
    if (!words.front().empty()) offered.insert(words.front());
  }
  known.erase("");
  for (const std::string& word : wanted) {
    if (known.contains(word)) continue;
    if (known.empty()) return fail(fmt::format("no model of these results has a {}", filter.name), word);
    const auto near = text::nearest(word, Words(known.begin(), known.end()));
    return fail(near ? fmt::format("these results have no such {}, did you mean {}?", filter.name, *near)
                     : fmt::format("these results have no such {}, expected one of: {}", filter.name,
                                   text::join(Words(offered.begin(), offered.end()), ", ")),
                word);
  }
  return Done{};
}

Results results_with(const std::vector<CellData>& cells, const std::vector<DerivedValue>& derived,
                     const metrics::Baseline& baseline, const std::function<bool(const CellData&)>& is_shown) {
  Results results{.cells = {}, .values = Values(derived), .best_options = {}, .baseline = baseline};
  std::vector<const CellData*> all;
  for (const CellData& cell : cells) all.push_back(&cell);
  const metrics::BaselineCells baselines(all, baseline);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!is_shown(cells[i])) continue;
    results.cells.push_back(&cells[i]);
    if (baselines.of(i)) results.baseline_cells.emplace(cells[i].cell_id, all[*baselines.of(i)]);
  }
  results.best_options = best_options(cells, results.values, is_shown);
  return results;
}

}  // namespace

std::span<const Filter> filters() { return kFilters; }

const CellData* Results::baseline_of(const CellData& cell) const {
  const auto found = baseline_cells.find(cell.cell_id);
  return found == baseline_cells.end() ? nullptr : found->second;
}

Results all_results(const std::vector<CellData>& cells, const std::vector<DerivedValue>& derived,
                    const metrics::Baseline& baseline) {
  return results_with(cells, derived, baseline, [](const CellData& /*cell*/) { return true; });
}

void add_differences(Results& results, const std::vector<store::MeasuredEnvironment>& environments) {
  std::set<std::string> shown;
  for (const CellData* cell : results.cells) shown.insert(cell->device);
  results.differences = environment_differences(environments);
  std::erase_if(results.differences, [&](const EnvironmentDifference& each) { return !shown.contains(each.device); });
}

Result<Results> chosen_results(const std::vector<CellData>& cells, const std::vector<DerivedValue>& derived,
                               const std::map<std::string, Words>& wanted, const metrics::Baseline& baseline) {
  std::vector<std::pair<Filter, Words>> asked;
  for (const Filter& filter : kFilters) {
    const auto words = wanted.find(filter.name);
    if (words == wanted.end() || words->second.empty()) continue;
    if (ngb::Status known = check_words(filter, words->second, cells); !known) return error_of(known);
    asked.emplace_back(filter, words->second);
  }
  Results results = results_with(cells, derived, baseline, [&](const CellData& cell) {
    return std::all_of(asked.begin(), asked.end(),
                       [&](const auto& filter) { return lets_through(filter.first, filter.second, cell); });
  });
  if (results.cells.empty() && !asked.empty()) return fail("no cell passes all these filters", {}, "leave out one");
  return results;
}

}  // namespace ngb::report
