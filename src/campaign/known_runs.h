// SPDX-License-Identifier: Apache-2.0
// Knows on which devices the runs of this user are, and how they are reached: one file for each run in the cache's
// folder "runs". A results.db says it too, but may come from somebody else, and to reach a device is to run programs
// that its address names. So addresses come from these files, or from a study that the user names, and from nowhere
// else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/installation.h"
#include "config/study.h"

namespace ngb::campaign {

// Keeps the devices of a run. One that is on this machine only needs no file. Does nothing if there is no cache. The
// file stays when the run has ended, because its folder can be cancelled again, with the devices' toolchains.
Status keep_devices(const Installation& installation, const std::string& run_id, const config::Study& study,
                    const Say& say);
// Returns the devices of a run; none if this user has not begun it with this cache.
Result<std::vector<config::DeviceEntry>> kept_devices(const Installation& installation, const std::string& run_id,
                                                      const Say& say);

}  // namespace ngb::campaign
