// SPDX-License-Identifier: Apache-2.0
// Getting the agent onto a device that has nothing but a POSIX shell, through the connection that it is then spoken to.
#pragma once

#include <string>
#include <vector>

#include "config/device.h"
#include "dispatch/bundle.h"
#include "dispatch/connection.h"
#include "dispatch/fleet.h"

namespace ngb::dispatch {

// What runs on the device: takes a script of that many bytes from standard input and runs it. Nothing of the user's is
// in it.
std::vector<std::string> bootstrap_words(std::size_t script_bytes);
// The same words, as a remote shell takes them.
std::string shell_command(const std::vector<std::string>& words);

// Says "ngb-have MACHINE" or "ngb-need MACHINE" (then it takes the agent's bytes), or "ngb-unsupported MACHINE";
// becomes the agent's reception.
std::string bootstrap_script(const std::vector<AgentFile>& agents, const config::DeviceEntry& device);

// Of a batch job: waits until the agent was delivered by someone who attaches, and becomes it (samples::Attach says
// what `holder` is).
std::string batch_script(const std::vector<AgentFile>& agents, const config::DeviceEntry& device,
                         const std::string& holder);

// A share's folders and batch jobs are called so: two devices of a study may be one machine.
std::string run_name(const Share& share);

// A word that a POSIX shell takes as exactly this text.
std::string shell_quoted(const std::string& text);

// Sends the script, and the agent where the device lacks it. Error: the device is of another kind, or did not answer.
// Nothing: the connection ended.
asio::awaitable<Result<std::optional<samples::Arrival>>> bootstrap(Connection& device, const std::string& script,
                                                                   const std::vector<AgentFile>& agents);

}  // namespace ngb::dispatch
