// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "apps/ngb/command.h"
#include "config/device.h"

namespace ngb::app {

// Prints what a run would ask a cluster for on behalf of each device: manifests for kubectl, scripts for sbatch.
// Returns the exit code.
int print_requests(const Installation& installation, const std::vector<config::DeviceEntry>& devices);

}  // namespace ngb::app
