// SPDX-License-Identifier: Apache-2.0
// Puts on the page what spans cells: findings in words, reversed orders, claims, and the numbers of
// `ngb show --series`.
#pragma once

#include "report/page/page.h"

namespace ngb::report::page {

// A table of the page has this many rows at most. Its remark says how many are left out.
inline constexpr std::size_t kMostRowsOfATable = 500;

// Fills in the sentences and tables of `content` from the series and conclusions of its results (add_series).
void add_what_spans_cells(Content& content);

}  // namespace ngb::report::page
