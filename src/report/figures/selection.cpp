// SPDX-License-Identifier: Apache-2.0
#include "report/figures/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "base/text.h"

namespace ngb::report::figures {

using store::CellData;

namespace {

std::string lower_case(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

}  // namespace

std::string published_compiler(std::string_view called) { return lower_case(called) + " (paper)"; }

Selection::Selection(const page::Content& content, LoadCell load_cell, std::vector<std::string> published)
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
  for (const char* called : {"Identity", "OpenVINO", "TensorRT", "TVM"}) {
    if (published_.empty()) break;
    compilers_.push_back(published_compiler(called));
    kinds.push_back(lower_case(called));
  }
  looks_ = looks_of(kinds);
  has_several_devices_ = devices.size() > 1;
}

const CellData* Selection::find(std::string_view cell_id) const {
  const auto found = selected_.find(cell_id);
  return found == selected_.end() ? nullptr : found->second;
}

bool Selection::shows_published(std::string_view device) const {
  return std::find(published_.begin(), published_.end(), device) != published_.end();
}

std::optional<CellData> Selection::load(const CellData& cell) const {
  return load_cell_ ? load_cell_(cell.cell_id) : std::nullopt;
}

std::string Selection::with_device(std::string words, const CellData& cell) const {
  return has_several_devices_ ? fmt::format("{}, on {}", words, device(cell)) : words;
}

}  // namespace ngb::report::figures
