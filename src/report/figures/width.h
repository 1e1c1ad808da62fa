// SPDX-License-Identifier: Apache-2.0
// Sets a figure for a column or a page of print.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "report/figures/figure.h"

namespace ngb::report::figures {

// Makes panels so narrow that the whole image is about `width_px` wide. Panels in which nothing could be read any more
// share the axis y, which each has for itself otherwise; if even that is too wide, the image is wider. Returns true if
// they have come to share it.
bool fit_to_width(nlohmann::ordered_json& whole, const std::vector<Row>& rows, int width_px);

// Returns how many pixels a panel has on a side, "width" or "height", also where that is a step for each name of an
// axis; 0 if it is not known.
int extent_of_panel(const nlohmann::ordered_json& whole, const std::vector<Row>& rows, const char* side);

// Returns in how many columns the compilers' names fit beside each other in such a width, 1 to 4.
int columns_of_legend(const nlohmann::ordered_json& whole, const std::vector<Row>& rows, int width_px);

}  // namespace ngb::report::figures
