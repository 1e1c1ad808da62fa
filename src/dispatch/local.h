// SPDX-License-Identifier: Apache-2.0
// Runs the share of this machine: starts an agent as a child, and starts it again if it dies.
#pragma once

#include "dispatch/fleet.h"
#include "dispatch/link/event_loop.h"
#include "dispatch/link/recording.h"

namespace ngb::dispatch {

// Runs the share until its job is finished or the loop stops. Returns an error if the agent cannot be started, reports
// an error, or dies kMaxDeathsWithoutProgress + 1 times without having done anything.
asio::awaitable<Result<Ending>> run_local(Loop& loop, Recording& recording, const Installation& installation,
                                          const Share& share);

// Fetches the events of the share's run from the journals here. Returns an error if they cannot be read.
asio::awaitable<Result<Ending>> fetch_local(Loop& loop, Recording& recording, const Installation& installation,
                                            const Share& share);

}  // namespace ngb::dispatch
