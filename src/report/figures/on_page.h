// SPDX-License-Identifier: Apache-2.0
// Prepares figures for the page. The page is one file that people send each other, so what it has of a figure has
// limits.
#pragma once

#include "report/figures/figure.h"
#include "report/page/page.h"

namespace ngb::report::figures {

// How many rows the page has of a figure.
struct MostRows {
  std::size_t in_table = 500;  // of a figure that has no more of them
  // Of any other: those of the first panels, which are drawn whole, and of a panel's repetitions every n-th, so that
  // there are at most 200.
  std::size_t drawn = 1'200;
};

// Returns the figure with its specification, and with its rows either in a table or in the specification.
page::Figure on_page(const Made& made, const MostRows& most);

}  // namespace ngb::report::figures
