// SPDX-License-Identifier: Apache-2.0
#include "report/figures/series_rows.h"

#include "report/plain_text.h"

namespace ngb::report::figures {

std::vector<SeriesPlace> series_places(const Selection& selection, std::string_view series) {
  std::vector<SeriesPlace> found;
  for (std::size_t source = 0; source < selection.sources().size(); ++source) {
    for (const store::SeriesValue* value : selection.sources()[source].results->series) {
      if (value->series != series) continue;
      SeriesPlace place{source, value, {}};
      for (const std::string& id : value->cell_ids) {
        if (const store::CellData* const cell = selection.find(source, id)) place.cells.push_back({source, cell});
      }
      if (!place.cells.empty() && place.cells.size() == value->cell_ids.size()) found.push_back(std::move(place));
    }
  }
  return found;
}

Number number_of(const SeriesPlace& place) {
  return {place.value->value, place.value->low, place.value->high, plain(place.value->reason)};
}

State state_of(const SeriesPlace& place) {
  State state{"measured", ""};
  for (const Place& each : place.cells) {
    State found = state_of(*each.cell);
    if (!found.reason.empty()) return found;
    if (found.name == "partial") state = std::move(found);
  }
  return state;
}

}  // namespace ngb::report::figures
