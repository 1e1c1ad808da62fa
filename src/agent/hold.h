// SPDX-License-Identifier: Apache-2.0
// An agent whose life a batch job is. Whoever attaches to it comes and goes with a connection, in a process group that
// the batch system ends with it; so the job itself starts the agent, when it is told which.
#pragma once

#include <filesystem>

#include "agent/agent.h"
#include "base/result.h"
#include "samples/delivery.h"

namespace ngb::agent {

// Waits for `holder`, a file in the device's folder, for at most 10 minutes; then is the resident agent that it
// describes, and again should it be told again. Stays until that one's files are removed, at most 30 s: with the batch
// job goes the way to this machine. `options`: version and device_folder. Returns the process's exit code, 3 when
// nobody came or the agent could not go on.
int hold(Options options, const std::filesystem::path& holder);

// Tells the job that waits at attach.holder what to start.
Status tell_holder(const std::filesystem::path& device_folder, const samples::Attach& attach);

}  // namespace ngb::agent
