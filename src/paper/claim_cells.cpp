// SPDX-License-Identifier: Apache-2.0
#include "paper/claim_cells.h"

#include <algorithm>
#include <map>

#include "paper/published.h"

namespace ngb::paper {

using store::CellData;

Cells cells_with(const Analysis& analysis, const Setting& setting, const LogOf& log_of, const Fits& fits) {
  Cells found;
  std::copy_if(setting.begin(), setting.end(), std::back_inserter(found),
               [&](std::size_t i) { return fits(analysis.cell(i)) && log_of(i, 1).reason.empty(); });
  return found;
}

Cells at_largest_batch(const Analysis& analysis, const Setting& setting, const LogOf& log_of) {
  std::map<std::string, std::size_t> largest;
  for (const std::size_t i :
       cells_with(analysis, setting, log_of, [](const CellData& cell) { return cell.of.model.key.batch > 1; })) {
    std::size_t& known = largest.emplace(analysis.cell(i).of.model.key.hash, i).first->second;
    if (analysis.cell(known).of.model.key.batch < analysis.cell(i).of.model.key.batch) known = i;
  }
  Cells cells;
  for (const auto& [hash, cell] : largest) cells.push_back(cell);
  return cells;
}

Cells of_style(const Analysis& analysis, const Setting& setting, Style style) {
  return cells_with(analysis, setting, speed_ups(analysis),
                    [&](const CellData& cell) { return style_of(cell) == style && !is_of_blocks(cell); });
}

LogOf speed_ups(const Analysis& analysis) {
  return [&analysis](std::size_t i, double weight) { return log_speed_up(analysis, i, weight); };
}

LogOf rtrs(const Analysis& analysis) {
  return [&analysis](std::size_t i, double weight) { return log_rtr(analysis, i, weight); };
}

LogOf bsrs(const Analysis& analysis) {
  return [&analysis](std::size_t i, double weight) -> Relation {
    const auto single = analysis.single_of(i);
    if (!single) return {{}, "batch 1 was not measured here"};
    return sum_of({log_speed_up(analysis, i, weight), log_speed_up(analysis, *single, -weight)});
  };
}

bool is_of_a_vendor(const CellData& cell) {
  return std::find(kVendors.begin(), kVendors.end(), cell.of.compiler.name) != kVendors.end();
}

ClaimTest not_measured(std::string why) { return {.reason = std::move(why)}; }

}  // namespace ngb::paper
