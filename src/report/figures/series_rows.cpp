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

namespace {

// Returns the first cell without numbers, else one that is measured in part, else the first one.
const store::CellData& deciding_cell(const SeriesNumber& number) {
  const store::CellData* found = number.cells.front();
  for (const store::CellData* cell : number.cells) {
    const State state = state_of(*cell);
    if (!state.reason.empty()) return *cell;
    if (state.name == "partial") found = cell;
  }
  return *found;
}

}  // namespace

Number number_of(const SeriesNumber& number) {
  const store::SeriesValue& value = *number.value;
  return {value.value, value.low, value.high, value.reason, value.series, &deciding_cell(number)};
}

State state_of(const SeriesNumber& number) { return state_of(deciding_cell(number)); }

}  // namespace ngb::report::figures
