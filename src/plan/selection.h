// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "plan/plan.h"

namespace ngb::plan {

// The plan without the steps of these cells; groups that are left empty go. Cells and models stay, so that indices do.
Plan without_cells(Plan plan, const std::set<std::string>& cell_ids);

}  // namespace ngb::plan
