// SPDX-License-Identifier: Apache-2.0
#include "report/figures/series_rows.h"

namespace ngb::report::figures {

std::vector<SeriesNumber> series_numbers(const Selection& selection, std::string_view series) {
  std::vector<SeriesNumber> found;
  for (const store::SeriesValue* value : selection.results().series) {
    if (value->series != series) continue;
    SeriesNumber number{value, {}};
    for (const std::string& id : value->cell_ids) {
      if (const store::CellData* const cell = selection.find(id)) number.cells.push_back(cell);
    }
    if (!number.cells.empty() && number.cells.size() == value->cell_ids.size()) found.push_back(std::move(number));
  }
  return found;
}

Number number_of(const SeriesNumber& number) {
  return {number.value->value, number.value->low, number.value->high, number.value->reason, number.cells.front()};
}

State state_of(const SeriesNumber& number) {
  State state{"measured", ""};
  for (const store::CellData* cell : number.cells) {
    State found = state_of(*cell);
    if (!found.reason.empty()) return found;
    if (found.name == "partial") state = std::move(found);
  }
  return state;
}

}  // namespace ngb::report::figures
