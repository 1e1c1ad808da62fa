// SPDX-License-Identifier: Apache-2.0
// Reaches a device through the system's OpenSSH client. The user's configuration, keys, jump hosts and known hosts
// apply; no check of them is ever switched off.
#pragma once

#include <string>

#include "config/device.h"
#include "dispatch/route/route.h"

namespace ngb::dispatch {

// Returns the ssh command that runs `remote_command`. It asks the user nothing, and it ends if the host has sent
// nothing for 15 s.
Command ssh_command(const config::SshAddress& address, const std::string& remote_command);

}  // namespace ngb::dispatch
