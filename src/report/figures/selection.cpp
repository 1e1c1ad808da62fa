// SPDX-License-Identifier: Apache-2.0
#include "report/figures/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"

namespace ngb::report::figures {

using store::CellData;

Selection::Selection(const page::Content& content, LoadCell load_cell, Published published)
    : content_(content), labels_(content), load_cell_(std::move(load_cell)), published_(std::move(published)) {
  std::set<std::string> devices;
  std::set<std::string> known;
  std::vector<std::string> kinds;
  for (const CellData* cell : cells()) {
    selected_.emplace(cell->cell_id, cell);
    devices.insert(device(*cell));
    const std::string name = compiler(*cell);
    if (!known.insert(name).second) continue;
    compilers_.push_back(name);
    kinds.push_back(text::visible(cell->of.compiler.name));
  }
  first_published_ = compilers_.size();
  for (const Published::Compiler& each : published_.compilers) {
    if (published_.devices.empty()) break;
    compilers_.push_back(each.name);
    kinds.push_back(each.kind);
  }
  looks_ = looks_of(kinds);
  has_several_devices_ = devices.size() > 1;
}

const CellData* Selection::find(std::string_view cell_id) const {
  const auto found = selected_.find(cell_id);
  return found == selected_.end() ? nullptr : found->second;
}

bool Selection::shows_published(std::string_view device) const {
  return std::find(published_.devices.begin(), published_.devices.end(), device) != published_.devices.end();
}

void Selection::add_published(std::string_view number, std::vector<Row>& rows) const {
  if (!published_.devices.empty()) published_.add_rows(*this, number, rows);
}

std::optional<CellData> Selection::load(const CellData& cell) const {
  return load_cell_ ? load_cell_(cell.cell_id) : std::nullopt;
}

std::string Selection::with_device(std::string words, const CellData& cell) const {
  return has_several_devices_ ? fmt::format("{}, on {}", words, device(cell)) : words;
}

}  // namespace ngb::report::figures
