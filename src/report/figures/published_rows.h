// SPDX-License-Identifier: Apache-2.0
// Adds what the paper has published to the rows of a figure, as rows of the devices that the selection has of it
// (Selection::shows_published). Their state is "published". Nothing of them was measured here.
#pragma once

#include <vector>

#include "report/figures/rows.h"

namespace ngb::report::figures {

// Quantities of groups of models, from Table VI.
enum class PublishedQuantity {
  cpu_percent,    // one standard deviation below and above it as its ends
  cpu_reduction,  // 1 - CPU % / CPU % of Identity
  speed_up,       // throughput / throughput of Identity, both means over the group
};

// Adds the groups that one of the rows has, under this name of the number.
void add_published_groups(const Selection& selection, std::vector<Row>& rows, PublishedQuantity quantity,
                          const char* name);

// Adds the models of Table III that one of the rows has, in the panels that it has.
void add_published_compile_times(const Selection& selection, std::vector<Row>& rows, const char* name);

}  // namespace ngb::report::figures
