// SPDX-License-Identifier: Apache-2.0
#include "report/figures/selection.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "report/plain_text.h"

namespace ngb::report::figures {

using store::CellData;

Selection::Selection(std::span<const page::Source> sources, LoadCell load_cell)
    : sources_(sources), labels_(sources), load_cell_(std::move(load_cell)) {
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
}

const CellData* Selection::find(std::size_t source, std::string_view cell_id) const {
  const auto found = selected_[source].find(cell_id);
  return found == selected_[source].end() ? nullptr : found->second;
}

std::optional<CellData> Selection::load(const Place& place) const {
  return load_cell_ ? load_cell_(place.source, place.cell->cell_id) : std::nullopt;
}

std::string Selection::with_device(std::string words, const Place& place) const {
  return has_several_devices_ ? fmt::format("{}, on {}", words, device(place)) : words;
}

}  // namespace ngb::report::figures
