// SPDX-License-Identifier: Apache-2.0
// What this machine's earlier runs tell about how long a study takes.
#pragma once

#include "campaign/durations_file.h"
#include "campaign/installation.h"
#include "plan/estimate.h"

namespace ngb::campaign {

// Returns the file of this installation; one that keeps nothing if the cache cannot be used.
DurationsFile durations_file(const Installation& installation, const Say& say);

// Returns what is known for estimating the plan on this machine.
plan::Experience experience_for(const Installation& installation, const plan::Plan& plan, const Say& say);

}  // namespace ngb::campaign
