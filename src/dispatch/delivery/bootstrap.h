// SPDX-License-Identifier: Apache-2.0
// Installs the agent on a device that has nothing but a POSIX shell, through the same connection over which the client
// then talks to it.
#pragma once

#include <string>
#include <vector>

#include "config/device.h"
#include "dispatch/delivery/parts.h"
#include "dispatch/link/connection.h"
#include "dispatch/link/share.h"

namespace ngb::dispatch {

// Returns the command that runs on the device: it reads a script of `script_bytes` bytes from standard input and runs
// the script. The command contains no text from the user.
std::vector<std::string> bootstrap_words(std::size_t script_bytes);
// Returns the same words as one line for a remote shell.
std::string shell_command(const std::vector<std::string>& words);

// Says whether the script uses an agent that is already on the device: `whole`, if the agent is whole as far as the
// device can check; `none`, never.
enum class Trust { whole, none };
// Returns a script that prints one line and then becomes the agent's reception. The line is one of
//   ngb-have MACHINE         the device has a whole agent
//   ngb-need MACHINE         it has none, or a damaged one: the script reads the agent's bytes next
//   ngb-unsupported MACHINE  there is no agent for such a machine; the script ends
//   ngb-refused WHY          the device's folder is not ours, or others may write in it; the script ends
// The script is one compound command: a shell that reads it from standard input has read all of it before it begins,
// and nothing beyond.
std::string bootstrap_script(const std::vector<AgentFile>& agents, const config::DeviceEntry& device,
                             Trust trust = Trust::whole);

// Returns the script of a batch job. It waits until a client that attaches has delivered the agent, then becomes the
// agent. samples::Attach describes `holder`.
std::string batch_script(const std::vector<AgentFile>& agents, const config::DeviceEntry& device,
                         const std::string& holder);

// Returns the name of the share's folders and batch jobs. It contains a hash of the device's name, because two devices
// of a study may be one machine.
std::string run_name(const Share& share);
// Returns the part of that name which comes from the device.
std::string device_part(const config::DeviceEntry& device);

// Quotes the text so that a POSIX shell reads it as one word that is exactly this text.
std::string shell_quoted(const std::string& text);

// Sends the script, and the agent if the device lacks it. Sets `*had_agent`, unless it is null, to whether the device
// reported that it has one. Returns an error with the code `lost` if the connection ended, and another error if there
// is no agent for the device, if the device's folder is refused, or if the device does not answer.
asio::awaitable<Result<samples::Arrival>> bootstrap(Connection& device, const std::string& script,
                                                    const std::vector<AgentFile>& agents, bool* had_agent = nullptr);

}  // namespace ngb::dispatch
