// SPDX-License-Identifier: Apache-2.0
// Runs the agent inside a batch job. A client's connection has a process group of its own, which the batch system ends
// with the connection; so the job itself starts the agent, once a client has written which one.
#pragma once

#include <filesystem>

#include "agent/agent.h"
#include "base/result.h"
#include "samples/delivery_messages.h"

namespace ngb::reception {

// Waits at most 10 minutes for `holder`, a file in the device's folder, then becomes the resident agent that it
// describes; repeats this if the file is written again. After that waits at most 30 s until the agent's files are
// removed, because the machine cannot be reached once the batch job has ended. Uses the version and device_folder of
// `options`. Returns the process's exit code: 3 if no client came or the agent failed.
int hold(agent::Options options, const std::filesystem::path& holder);

// Writes what to start into attach.holder, for the job that waits there.
Status write_holder(const std::filesystem::path& device_folder, const samples::Attach& attach);

}  // namespace ngb::reception
