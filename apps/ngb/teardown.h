// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "dispatch/fleet.h"

namespace ngb::app {

// "torn down: 3 of 3 verified", and what is left where it is not. True: nothing is.
bool tell_of_teardown(const std::vector<dispatch::DeviceEnding>& endings);

}  // namespace ngb::app
