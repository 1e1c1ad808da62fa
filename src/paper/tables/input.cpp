// SPDX-License-Identifier: Apache-2.0
#include "paper/tables/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "metrics/baseline.h"
#include "metrics/series/workload.h"
#include "report/columns.h"
#include "report/words.h"

namespace ngb::paper::tables {
namespace {

using metrics::compiler_of;
using store::CellData;

std::string details_of(const CellData& cell) {
  return fmt::format(", {}{}{}", report::threads_of(cell),
                     cell.of.compiler.precision == work::kFullPrecision ? "" : ", " + cell.of.compiler.precision,
                     report::handed_after_name(cell));
}

}  // namespace

Input::Input(const Results& results, const std::vector<store::MeasuredEnvironment>& environments,
             std::vector<std::string> published)
    : results_(results), environments_(environments), published_(std::move(published)), settings_(results.cells) {
  std::map<std::string, const CellData*> settings;
  for (const CellData* cell : results.cells) {
    cells_.emplace(cell->cell_id, cell);
    settings.emplace(settings_.of(*cell), cell);
  }
  std::map<std::string, int> uses;
  for (const auto& [setting, cell] : settings) ++uses[compiler_of(*cell)];
  std::map<std::string, int> numbers;
  for (const auto& [setting, cell] : settings) {
    std::string name = compiler_of(*cell);
    if (uses[name] > 1) name += details_of(*cell);
    const int number = ++numbers[name];
    names_[setting] = number == 1 ? name : fmt::format("{} ({})", name, number);
  }
}

bool Input::shows_published(std::string_view device) const {
  return std::find(published_.begin(), published_.end(), device) != published_.end();
}

std::string Input::device(const CellData& cell) const { return metrics::series::name_of_place(cell); }

std::string Input::compiler(const CellData& cell) const {
  const auto found = names_.find(settings_.of(cell));
  return found == names_.end() ? compiler_of(cell) : found->second;
}

const CellData* Input::first_cell(const store::SeriesValue& value) const {
  const auto found = value.cell_ids.empty() ? cells_.end() : cells_.find(value.cell_ids.front());
  return found == cells_.end() ? nullptr : found->second;
}

std::size_t Input::models(const store::SeriesValue& value) const {
  std::set<std::string_view> labels;
  for (const std::string& id : value.cell_ids) {
    const auto found = cells_.find(id);
    if (found != cells_.end()) labels.insert(found->second->of.model.label);
  }
  return labels.size();
}

}  // namespace ngb::paper::tables
