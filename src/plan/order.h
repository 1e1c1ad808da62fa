// SPDX-License-Identifier: Apache-2.0
// The order of a plan's processes; plan.h says which.
#pragma once

#include <cstdint>
#include <vector>

#include "work/cell.h"

namespace ngb::plan {

// `cells` stand in the order device, model, batch, compiler, so that the cells of a group are neighbours.
std::vector<work::Group> order(const std::vector<work::Model>& models, const std::vector<work::Cell>& cells,
                               int processes, std::uint64_t seed);

}  // namespace ngb::plan
