// SPDX-License-Identifier: Apache-2.0
// Handles signals and the standard streams of an agent.
#pragma once

#include "base/file.h"

namespace ngb::agent {

// Blocks SIGCHLD, SIGTERM and SIGINT, ignores SIGPIPE, and returns a descriptor (signalfd) from which the blocked
// signals are polled and read. The descriptor is not open if the kernel refuses.
FileDescriptor open_signals();

// Replaces standard input and output by /dev/null, so that the processes at their other ends see the end of the
// streams.
void close_standard_streams();

}  // namespace ngb::agent
