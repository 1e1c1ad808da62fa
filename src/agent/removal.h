// SPDX-License-Identifier: Apache-2.0
// Leaving a device as it was: the agent of a run ended, its files gone, and what nobody else needs.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "samples/delivery.h"

namespace ngb::agent {

// Ends whatever is at work in these runs' folders and deletes them; with the last run the bundles and agents go, too,
// and with `with_toolchains` everything. What is not there is gone already. Says what is left nevertheless.
Result<samples::Removed> remove_runs(const std::filesystem::path& device_folder, const samples::Remove& remove);

}  // namespace ngb::agent
