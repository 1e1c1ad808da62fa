// SPDX-License-Identifier: Apache-2.0
// Keeps a worker in step with what its agent runs beside it: a load, or the processes with which it takes turns.
#pragma once

#include <string_view>

#include "base/result.h"
#include "samples/worker_signal.h"

namespace ngb::worker {

// Sends one of the signals of samples/worker_signal.h on kResultFd, and waits for the agent's answer on kRequestFd.
// Returns an error if the agent has ended.
Status signal_and_wait(std::string_view signal);

}  // namespace ngb::worker
