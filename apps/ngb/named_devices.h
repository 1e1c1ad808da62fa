// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "apps/ngb/command.h"
#include "config/device.h"

namespace ngb::app {

// Those of the user's devices (all, when `names` is empty), one for each node. Error: one of them is not described.
Result<std::vector<config::DeviceEntry>> named_devices(const Installation& installation,
                                                       const std::vector<std::string>& names);

}  // namespace ngb::app
