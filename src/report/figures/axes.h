// SPDX-License-Identifier: Apache-2.0
// Places the points of a figure: a depth or a batch size on a quantitative axis with compilers side by side, and
// intervals within a frame.
#pragma once

#include <string>
#include <vector>

#include "report/figures/figure.h"

namespace ngb::report::figures {

// Replaces the axis of names of depths, batch sizes or groups of batch sizes, on which compilers are side by side, by
// a quantitative one: linear for depths, with base 2 for batch sizes, one step for each group. Adds "at" to the rows,
// the place of a point. The compilers of one panel together take half of the smallest step. Other axes are not changed.
void use_quantitative_axis(const std::vector<std::string>& compilers, nlohmann::ordered_json& whole,
                           std::vector<Row>& rows);

// Gives panels of one quantity the same axis, in a figure whose panels have an axis each and which has an unseen layer
// for that: adds the least and the largest of the quantity's points to the rows, as "shared_low" and "shared_high".
void share_axes_of_a_quantity(const nlohmann::ordered_json& whole, std::vector<Row>& rows);

// Ends intervals where they leave the frame: half as much again as its points take, at least a factor of 1.5 on a
// logarithmic axis. Adds "low_at" and "high_at" to the rows, and a triangle to such an end. Returns whether there is
// one.
bool end_intervals_at_the_frame(nlohmann::ordered_json& whole, std::vector<Row>& rows);

}  // namespace ngb::report::figures
