// SPDX-License-Identifier: Apache-2.0
// Finds the numbers that span cells of a selection.
#pragma once

#include <string_view>
#include <vector>

#include "report/figures/rows.h"

namespace ngb::report::figures {

// A number that spans cells. All of its cells are selected.
struct SeriesPlace {
  std::size_t source = 0;
  const store::SeriesValue* value = nullptr;
  std::vector<Place> cells{};  // at least one
};
// Returns the numbers of a series, in the order of the sources and of their parts.
std::vector<SeriesPlace> series_places(const Selection& selection, std::string_view series);

// Returns the number, with the reason why there is none.
Number number_of(const SeriesPlace& place);
// Returns the state of the first cell that has no numbers, else "measured", or "partial" if one of them is.
State state_of(const SeriesPlace& place);

}  // namespace ngb::report::figures
