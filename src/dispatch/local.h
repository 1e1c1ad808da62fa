// SPDX-License-Identifier: Apache-2.0
// This machine: an agent started as a child, and started again when it dies.
#pragma once

#include "dispatch/fleet.h"
#include "dispatch/link/event_loop.h"
#include "dispatch/link/recording.h"

namespace ngb::dispatch {

asio::awaitable<Result<Ending>> run_local(Loop& loop, Recording& recording, const Installation& installation,
                                          const Share& share);

// What the journals here hold of the share's run. Error: they cannot be read.
asio::awaitable<Result<Ending>> fetch_local(Loop& loop, Recording& recording, const Installation& installation,
                                            const Share& share);

}  // namespace ngb::dispatch
