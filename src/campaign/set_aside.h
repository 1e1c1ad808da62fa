// SPDX-License-Identifier: Apache-2.0
// Makes room for measuring a study anew.
#pragma once

#include <filesystem>
#include <optional>

#include "campaign/installation.h"

namespace ngb::campaign {

// Gives a results folder another name, "quickstart-1" or the next number that is free, and returns its new path;
// nothing if there are no results. Returns an error if another program writes there, or while a run of them is on a
// device elsewhere.
Result<std::optional<std::filesystem::path>> set_aside(const Installation& installation,
                                                       const std::filesystem::path& results, const Say& say);

}  // namespace ngb::campaign
