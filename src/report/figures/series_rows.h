// SPDX-License-Identifier: Apache-2.0
// Finds the numbers that span cells of a selection.
#pragma once

#include <string_view>
#include <vector>

#include "report/figures/rows.h"

namespace ngb::report::figures {

// A number that spans cells. All of its cells are selected.
struct SeriesNumber {
  const store::SeriesValue* value = nullptr;
  std::vector<const store::CellData*> cells{};  // at least one
};
// Returns the numbers of a series, in the order of its parts.
std::vector<SeriesNumber> series_numbers(const Selection& selection, std::string_view series);

// Returns the number, with the reason why there is none.
Number number_of(const SeriesNumber& number);
// Returns a row for each number of a series of groups or styles, at each batch size: a row of panels for each place
// ("place"), a column for each subject; then the published ones. Ends are one deviation away where the series has one.
std::vector<Row> rows_of_subjects(const Selection& selection, const char* series);
// Returns the state of the first cell that has no numbers, else "measured", or "partial" if one of them is.
State state_of(const SeriesNumber& number);

}  // namespace ngb::report::figures
