// SPDX-License-Identifier: Apache-2.0
// Getting the agent onto a device that has nothing but a POSIX shell, through the connection that it is then spoken to.
#pragma once

#include <string>
#include <vector>

#include "config/device.h"
#include "dispatch/bundle.h"
#include "dispatch/connection.h"

namespace ngb::dispatch {

// What stands on the remote command line: takes a script of that many bytes from standard input and runs it. Nothing of
// the user's is in it.
std::string bootstrap_command(std::size_t script_bytes);

// Says "ngb-have MACHINE" or "ngb-need MACHINE" (then it takes the agent's bytes), or "ngb-unsupported MACHINE";
// becomes the agent's reception.
std::string bootstrap_script(const std::vector<AgentFile>& agents, const config::DeviceEntry& device);

// The system's ssh, with the user's configuration; asks for nothing, and ends when it has heard nothing for 15 s.
std::vector<std::string> ssh_command(const config::SshAddress& address, const std::string& remote_command);

// A word that a POSIX shell takes as exactly this text.
std::string shell_quoted(const std::string& text);

// Sends the script, and the agent where the device lacks it. Error: the device is of another kind, or did not answer.
// Nothing: the connection ended.
asio::awaitable<Result<std::optional<samples::Arrival>>> bootstrap(Connection& device, const std::string& script,
                                                                   const std::vector<AgentFile>& agents);

}  // namespace ngb::dispatch
