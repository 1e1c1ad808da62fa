// SPDX-License-Identifier: Apache-2.0
// Removes a run from a device: ends its agent and deletes its files, and the shared ones that nothing else needs.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "samples/delivery_messages.h"

namespace ngb::reception {

// Ends all processes that work in these runs' folders and deletes the folders; missing ones are ignored. If no other
// run is left, deletes bundles and agents too, and with `with_toolchains` everything that is ours (belongings.h). Keeps
// what another run or a delivery may need; `kept_for` names those. Reads the folder again afterwards; `left` names
// everything that should be deleted but is still there. Other people's files are neither touched nor counted. Returns
// an error if a path is not a run's folder or if a process cannot be ended from here.
Result<samples::Removed> remove_runs(const std::filesystem::path& device_folder, const samples::Remove& remove);

}  // namespace ngb::reception
