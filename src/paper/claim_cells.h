// SPDX-License-Identifier: Apache-2.0
// Which cells the tests of claims are about, and the ratios that they take of each.
#pragma once

#include <functional>
#include <string>

#include "paper/claim_tests.h"

namespace ngb::paper {

using Fits = std::function<bool(const store::CellData& cell)>;

// Returns the cells of the setting that fit and of which `log_of` has a value.
Cells cells_with(const Analysis& analysis, const Setting& setting, const LogOf& log_of, const Fits& fits);
// Returns each model's cell of the largest batch size above 1 of which `log_of` has a value.
Cells at_largest_batch(const Analysis& analysis, const Setting& setting, const LogOf& log_of);

// Returns the cells of whole networks of a style that have a speed-up. Stacks of blocks are left out: claims about
// styles are about whole networks.
Cells of_style(const Analysis& analysis, const Setting& setting, Style style);

// weight · log of the cell's speed-up, RTR, BSR. The functions must not outlive the Analysis.
LogOf speed_ups(const Analysis& analysis);
LogOf rtrs(const Analysis& analysis);
LogOf bsrs(const Analysis& analysis);

bool is_of_a_vendor(const store::CellData& cell);
ClaimTest not_measured(std::string why);

}  // namespace ngb::paper
