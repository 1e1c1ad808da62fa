// SPDX-License-Identifier: Apache-2.0
// Says of a plan on which of this machine's processors its cells run, where that is not plain.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/topology.h"
#include "plan/plan.h"
#include "probe/shared_cores.h"

namespace ngb::campaign {

// Measures whether two of these processors share a core (probe::shared_as_measured).
using MeasureCores = std::function<std::optional<probe::SharedCore>(const std::vector<int>& processors)>;

// Returns a line for each choice of the study that is a word, with the processors of this machine, `here`, that it
// means; and a line if two processors that one cell uses share a core. `measured` is asked only if a cell uses several
// processors and /sys shows none of them on one core.
std::vector<std::string> processor_remarks(const plan::Plan& plan, const std::vector<LogicalProcessor>& here,
                                           const MeasureCores& measured);

}  // namespace ngb::campaign
