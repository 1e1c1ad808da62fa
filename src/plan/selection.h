// SPDX-License-Identifier: Apache-2.0
// Removes cells from what a plan measures.
#pragma once

#include <set>
#include <string>

#include "plan/plan.h"

namespace ngb::plan {

// Returns the plan without the steps of these cells and without groups that then have no steps. Cells and models are
// kept, so indices stay valid.
Plan without_cells(Plan plan, const std::set<std::string>& cell_ids);

}  // namespace ngb::plan
