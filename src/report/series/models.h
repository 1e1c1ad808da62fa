// SPDX-License-Identifier: Apache-2.0
// Which model is the best, given compilers: of each the best setting, and what is told of it beside the best model.
#pragma once

#include "metrics/derive.h"
#include "metrics/goal.h"
#include "report/document.h"

namespace ngb::report {

// Returns a row for each model on each device that counts for the goal, or for all of them, at each batch size and
// load: its best setting by the metric of the answer (Heading::by) among those that keep the goal's bounds, and whether
// it is the best model, may be it, or is out.
Document models_document(const metrics::Derived& derived, const metrics::Goal& goal);

}  // namespace ngb::report
