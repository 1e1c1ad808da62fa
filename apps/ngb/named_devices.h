// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "apps/ngb/command.h"
#include "config/device.h"

namespace ngb::app {

// Returns the named devices of the user (all if `names` is empty), one entry for each node. Returns an error if a name
// is not described.
Result<std::vector<config::DeviceEntry>> named_devices(const Installation& installation,
                                                       const std::vector<std::string>& names);

}  // namespace ngb::app
