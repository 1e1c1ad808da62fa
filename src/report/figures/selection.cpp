// SPDX-License-Identifier: Apache-2.0
#include "report/figures/selection.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "report/plain_text.h"

namespace ngb::report::figures {

using store::CellData;

Selection::Selection(std::span<const page::Source> sources, Measured measured)
    : sources_(sources), labels_(sources), measured_(std::move(measured)) {
  std::set<std::string> devices;
  std::set<std::string> known;
  std::vector<std::string> kinds;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    ById& cells = selected_.emplace_back();
    for (const CellData* cell : sources[source].results->cells) {
      const Place place{source, cell};
      places_.push_back(place);
      cells.emplace(cell->cell_id, cell);
      devices.insert(device(place));
      const std::string name = compiler(place);
      if (!known.insert(name).second) continue;
      compilers_.push_back(name);
      kinds.push_back(plain(cell->compiler));
    }
  }
  looks_ = looks_of(kinds);
  has_several_devices_ = devices.size() > 1;
  for (const std::vector<CellData>* cells : measured_.cells) {
    ById& all = measured_cells_.emplace_back();
    for (const CellData& cell : *cells) all.emplace(cell.cell_id, &cell);
  }
}

const CellData* Selection::find(std::size_t source, std::string_view cell_id) const {
  const auto found = selected_[source].find(cell_id);
  return found == selected_[source].end() ? nullptr : found->second;
}

const CellData* Selection::find_measured(const Place& place) const {
  if (place.source >= measured_cells_.size()) return nullptr;
  const auto found = measured_cells_[place.source].find(place.cell->cell_id);
  return found == measured_cells_[place.source].end() ? nullptr : found->second;
}

std::string Selection::with_device(std::string words, const Place& place) const {
  return has_several_devices_ ? fmt::format("{}, on {}", words, device(place)) : words;
}

}  // namespace ngb::report::figures
