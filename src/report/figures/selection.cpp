// SPDX-License-Identifier: Apache-2.0
#include "report/figures/selection.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "report/plain_text.h"

namespace ngb::report::figures {

using store::CellData;

Selection::Selection(const page::Content& content, const Measured& measured)
    : content_(content), labels_(content), why_not_measured_(measured.why_none) {
  std::set<std::string> devices;
  std::set<std::string> known;
  std::vector<std::string> kinds;
  for (const CellData* cell : cells()) {
    selected_.emplace(cell->cell_id, cell);
    devices.insert(device(*cell));
    const std::string name = compiler(*cell);
    if (!known.insert(name).second) continue;
    compilers_.push_back(name);
    kinds.push_back(plain(cell->compiler));
  }
  looks_ = looks_of(kinds);
  has_several_devices_ = devices.size() > 1;
  if (measured.cells == nullptr) return;
  for (const CellData& cell : *measured.cells) measured_.emplace(cell.cell_id, &cell);
}

const CellData* Selection::find(std::string_view cell_id) const {
  const auto found = selected_.find(cell_id);
  return found == selected_.end() ? nullptr : found->second;
}

const CellData* Selection::find_measured(const CellData& cell) const {
  const auto found = measured_.find(cell.cell_id);
  return found == measured_.end() ? nullptr : found->second;
}

std::string Selection::with_device(std::string words, const CellData& cell) const {
  return has_several_devices_ ? fmt::format("{}, on {}", words, device(cell)) : words;
}

}  // namespace ngb::report::figures
