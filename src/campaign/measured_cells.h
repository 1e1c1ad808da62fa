// SPDX-License-Identifier: Apache-2.0
// Measures a plan for a command that wants the speeds of its cells.
#pragma once

#include <vector>

#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "campaign/study_compilers.h"
#include "plan/plan.h"
#include "store/store.h"

namespace ngb::campaign {

// Measures what is left of the plan (measure_plan) and returns all its cells with their speeds.
Answer<std::vector<store::CellData>> measured_cells(const Installation& installation, plan::Plan plan,
                                                    const Compilers& compilers, Observer& observer);

}  // namespace ngb::campaign
