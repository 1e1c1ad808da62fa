// SPDX-License-Identifier: Apache-2.0
// Orders a plan's processes; plan.h defines the order.
#pragma once

#include <cstdint>
#include <vector>

#include "work/cell.h"

namespace ngb::plan {

// Returns the groups of the cells with their steps, in the order in which they are measured. Precondition: `cells` are
// sorted by device, model, batch, load and compiler, so that the cells of a group are neighbours.
std::vector<work::Group> order(const std::vector<work::Model>& models, const std::vector<work::Cell>& cells,
                               int processes, std::uint64_t seed);

}  // namespace ngb::plan
