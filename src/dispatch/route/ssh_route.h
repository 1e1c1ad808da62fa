// SPDX-License-Identifier: Apache-2.0
// The system's OpenSSH client: the user's configuration, keys, jump hosts and known hosts apply, and nothing of them is
// ever switched off.
#pragma once

#include <string>

#include "config/device.h"
#include "dispatch/route/route.h"

namespace ngb::dispatch {

// Asks for nothing, and ends when it has heard nothing for 15 s.
Command ssh_command(const config::SshAddress& address, const std::string& remote_command);

}  // namespace ngb::dispatch
