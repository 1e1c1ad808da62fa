// SPDX-License-Identifier: Apache-2.0
// Chooses the processors of a load. Pure.
#pragma once

#include <vector>

#include "base/result.h"
#include "work/load.h"

namespace ngb::agent {

// Returns the processors that the load runs on. `allowed` are all that the agent may use, `of_cell` those of the cell's
// inference. Returns an error that names the key if there are too few: more processors to burn than there are, none
// besides the cell's, or one listed that the agent may not use.
Result<std::vector<int>> processors_of(const work::Load& load, const std::vector<int>& allowed,
                                       const std::vector<int>& of_cell);

}  // namespace ngb::agent
