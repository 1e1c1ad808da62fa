// SPDX-License-Identifier: Apache-2.0
// Sets a figure for a column or a page of print. How wide it is exactly is known once it is drawn: draw_figures.py then
// makes the panels wider or narrower.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/figures/figure.h"

namespace ngb::report::figures {

// Returns whether each panel has an axis y of its own.
bool panels_have_own_axes(const nlohmann::ordered_json& whole);

// Puts so many panels side by side as can be read in `width_px`, and makes them about so wide that they fill it, and
// no higher than wide. Adds
// "usermeta": {"side_by_side": panels, "steps": names of the axis in each panel}.
void fit_to_width(nlohmann::ordered_json& whole, const std::vector<Row>& rows, int width_px);

// Makes each row of a grid a view of its own, whose panels share one axis, if the panels have axes of their own or do
// not all fit beside each other; the panels of a row may then take several lines.
void set_rows_as_views(nlohmann::ordered_json& whole, const std::vector<Row>& rows, int width_px);

// Removes the titles of both axes and returns them as one text: "speed-up (ratio, log axis) over batch size"; or that
// of the axis x, if only that has numbers. Returns "" and removes nothing if none has numbers and a title. Beside
// narrow panels, titles of axes would overlap.
std::string take_titles_of_axes(nlohmann::ordered_json& whole);

// Returns a Vega expression for a label, in lines that are about so wide, broken at spaces.
std::string lines_of_at_most(int width_px);

// Returns the text in lines of at most so many characters, if its words are no longer.
nlohmann::ordered_json lines_of(const std::string& text, std::size_t most);

// Returns how many pixels a panel has on a side, "width" or "height", also where that is a step for each name of an
// axis; 0 if it is not known.
int extent_of_panel(const nlohmann::ordered_json& whole, const std::vector<Row>& rows, const char* side);

// Returns in how many columns the compilers' names fit beside each other in such a width, 1 to 4.
int columns_of_legend(const std::vector<Row>& rows, int width_px);

}  // namespace ngb::report::figures
