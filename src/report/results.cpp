// SPDX-License-Identifier: Apache-2.0
#include "report/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>

#include "base/processors.h"
#include "base/text.h"
#include "report/words.h"

namespace ngb::report {
namespace {

using store::CellData;
using store::DerivedValue;
using Words = std::vector<std::string>;

// name, meaning, words
constexpr std::array kFilters{
    Filter{"device", "Only cells of this device", [](const CellData& cell) { return Words{cell.of.device}; }},
    Filter{"compiler", "Only cells of this compiler: NAME, NAME@VERSION, or its name in the table",
           [](const CellData& cell) {
             return Words{cell.of.compiler.name, cell.of.compiler.name + "@" + cell.of.compiler.version,
                          cell.of.compiler.label, compiler_of(cell)};
           }},
    Filter{"model", "Only cells of this model, or of this family of models",
           [](const CellData& cell) { return Words{cell.of.model.label, cell.of.model.family}; }},
    Filter{"group", "Only cells of models of this group, such as ResNets",
           [](const CellData& cell) { return Words{cell.of.model.group}; }},
    Filter{"style", "Only cells of models of this style: convolutional, transformer or hybrid",
           [](const CellData& cell) { return Words{cell.of.model.style}; }},
    Filter{"batch", "Only cells of this batch size",
           [](const CellData& cell) { return Words{std::to_string(cell.of.model.key.batch)}; }},
    Filter{"load", "Only cells under this load, as the study and the table write it: none, \"cpu: 1\"",
           [](const CellData& cell) { return Words{cell.of.load}; }},
};

Results results_with(const std::vector<CellData>& cells, const std::vector<DerivedValue>& derived,
                     const metrics::Baseline& baseline, const std::function<bool(const CellData&)>& is_shown,
                     bool with_best_options = true) {
  Results results{.cells = {}, .numbers = metrics::Numbers(derived), .best_options = {}, .baseline = baseline};
  std::vector<const CellData*> all;
  for (const CellData& cell : cells) all.push_back(&cell);
  const metrics::BaselineCells baselines(all, baseline);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!is_shown(cells[i])) continue;
    results.cells.push_back(&cells[i]);
    if (baselines.of(i)) results.baseline_cells.emplace(cells[i].cell_id, all[*baselines.of(i)]);
  }
  if (with_best_options) results.best_options = best_options(cells, results.numbers, is_shown);
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
  for (const CellData* cell : results.cells) shown.insert(cell->of.device);
  results.differences = environment_differences(environments, shown);
}

void add_series(Results& results, const std::vector<store::SeriesPart>& parts) {
  std::set<std::string_view> shown;
  for (const CellData* cell : results.cells) shown.insert(cell->cell_id);
  for (const store::SeriesPart& part : parts) {
    for (const store::SeriesValue& value : part.values) {
      const bool is_shown = std::all_of(value.cell_ids.begin(), value.cell_ids.end(),
                                        [&](const std::string& cell) { return shown.contains(cell); });
      if (is_shown) results.series.push_back(&value);
    }
    for (const store::Conclusion& conclusion : part.conclusions) results.conclusions.push_back(&conclusion);
  }
}

CellFilter::CellFilter(const std::map<std::string, Words>& wanted) {
  for (const Filter& filter : kFilters) {
    const auto words = wanted.find(filter.name);
    if (words != wanted.end() && !words->second.empty()) asked_.push_back({&filter, words->second, {}, {}});
  }
}

bool CellFilter::lets_through(const Asked& asked, const Words& words) {
  return std::find_first_of(words.begin(), words.end(), asked.words.begin(), asked.words.end()) != words.end();
}

bool CellFilter::lets_through(const CellData& cell) const {
  return std::all_of(asked_.begin(), asked_.end(),
                     [&](const Asked& asked) { return lets_through(asked, asked.filter->words(cell)); });
}

bool CellFilter::add(const CellData& cell) {
  bool passes = true;
  for (Asked& asked : asked_) {
    const Words words = asked.filter->words(cell);
    passes = lets_through(asked, words) && passes;
    asked.known.insert(words.begin(), words.end());
    if (!words.front().empty()) asked.offered.insert(words.front());
  }
  passed_ += passes ? 1U : 0U;
  return passes;
}

ngb::Status CellFilter::check(const std::string& of) const {
  for (const Asked& asked : asked_) {
    for (const std::string& word : asked.words) {
      if (!word.empty() && asked.known.contains(word)) continue;
      Words known(asked.known.begin(), asked.known.end());
      std::erase(known, "");
      if (known.empty()) return fail(fmt::format("{} no model with a {}", of, asked.filter->name), word);
      const auto near = text::nearest(word, known);
      return fail(near ? fmt::format("{} no such {}, did you mean {}?", of, asked.filter->name, *near)
                       : fmt::format("{} no such {}, expected one of: {}", of, asked.filter->name,
                                     text::join(Words(asked.offered.begin(), asked.offered.end()), ", ")),
                  word);
    }
  }
  if (passed_ == 0 && !asked_.empty()) return fail("no cell passes all these filters", {}, "leave out one");
  return Done{};
}

Results results_of(const std::vector<CellData>& cells, const std::vector<DerivedValue>& derived,
                   const CellFilter& filter, const metrics::Baseline& baseline, bool with_best_options) {
  return results_with(
      cells, derived, baseline, [&](const CellData& cell) { return filter.lets_through(cell); }, with_best_options);
}

ngb::Status each_family(metrics::FamilyReader& reader, const std::vector<store::ValueFamily>& families,
                        const CellFilter& filter, bool with_best_options, const UseFamilyResults& use) {
  const metrics::Baseline& baseline = reader.heading().baseline;
  return reader.derive(families, metrics::all_metrics(), processor_count(), [&](metrics::DerivedFamily family) {
    std::vector<DerivedValue> values;
    for (auto& of_cell : family.values) std::move(of_cell.begin(), of_cell.end(), std::back_inserter(values));
    FamilyResults part{.results = results_of(family.cells, values, filter, baseline, with_best_options)};
    for (const CellData* cell : part.results.cells) {
      part.positions.push_back(family.family->cells[static_cast<std::size_t>(cell - family.cells.data())].position);
    }
    use(part);
  });
}

Result<PassingFamilies> passing_families(metrics::FamilyReader& reader, CellFilter& filter) {
  PassingFamilies found;
  for (const store::ValueFamily& family : reader.families()) {
    std::size_t passing = family.cells.size();
    if (!filter.is_of_all()) {
      const auto cells = reader.results().load_family(family, store::Detail::planned);
      if (!cells) return error_of(cells);
      passing = static_cast<std::size_t>(
          std::count_if(cells->begin(), cells->end(), [&](const CellData& cell) { return filter.add(cell); }));
    }
    if (passing == 0) continue;
    found.families.push_back(family);
    found.passing.push_back(passing);
  }
  return found;
}

Result<Results> passing_results(const std::vector<CellData>& cells, const std::vector<DerivedValue>& derived,
                                const std::map<std::string, Words>& wanted, const metrics::Baseline& baseline) {
  CellFilter filter(wanted);
  for (const CellData& cell : cells) filter.add(cell);
  if (ngb::Status known = filter.check(); !known) return error_of(known);
  return results_of(cells, derived, filter, baseline, true);
}

}  // namespace ngb::report
