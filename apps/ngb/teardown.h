// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "dispatch/fleet.h"

namespace ngb::app {

// Prints "torn down: 3 of 3 verified", or what is left and what to do. Returns true if nothing is left.
bool tell_of_teardown(const std::vector<dispatch::DeviceEnding>& endings, const std::filesystem::path& results_folder);

}  // namespace ngb::app
