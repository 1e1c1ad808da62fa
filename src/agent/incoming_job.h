// SPDX-License-Identifier: Apache-2.0
// Prepares a job that a client has sent, before it begins.
#pragma once

#include <filesystem>

#include "agent/workers/control_group.h"
#include "base/result.h"
#include "base/revision.h"
#include "samples/environment.h"
#include "work/job.h"

namespace ngb::agent {

// Makes the paths of a job for a device elsewhere absolute; they are relative to the device's folder. Does nothing if
// `device_folder` is empty.
void stand_in(work::Job& job, const std::filesystem::path& device_folder);

// Returns the device's and the agent's description of themselves, with the variables that the job sets for its
// processes.
samples::Environment environment_of(const work::Job& job, const ControlGroups& groups, const Revision& agent);

}  // namespace ngb::agent
