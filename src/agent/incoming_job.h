// SPDX-License-Identifier: Apache-2.0
// A job that a client has brought, before anything of it is begun.
#pragma once

#include <filesystem>

#include "agent/workers/control_group.h"
#include "base/result.h"
#include "base/revision.h"
#include "samples/environment.h"
#include "work/job.h"

namespace ngb::agent {

// Completes the paths of a job for a device elsewhere, which are within the device's folder; with no folder, nothing.
void stand_in(work::Job& job, const std::filesystem::path& device_folder);

// What the device and the agent tell of themselves, and the variables that the job's processes get there.
samples::Environment environment_of(const work::Job& job, const ControlGroups& groups, const Revision& agent);

}  // namespace ngb::agent
