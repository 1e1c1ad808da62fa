// SPDX-License-Identifier: Apache-2.0
// Getting the agent onto a device that has nothing but a POSIX shell, through the connection that it is then spoken to.
#pragma once

#include <string>
#include <vector>

#include "config/device.h"
#include "dispatch/delivery/bundle.h"
#include "dispatch/link/connection.h"
#include "dispatch/link/share.h"

namespace ngb::dispatch {

// What runs on the device: takes a script of that many bytes from standard input and runs it. Nothing of the user's is
// in it.
std::vector<std::string> bootstrap_words(std::size_t script_bytes);
// The same words, as a remote shell takes them.
std::string shell_command(const std::vector<std::string>& words);

// Says "ngb-have MACHINE" or "ngb-need MACHINE" (then it takes the agent's bytes), "ngb-unsupported MACHINE", or
// "ngb-refused WHY" (the device's folder is not ours, or not ours alone); becomes the agent's reception. An agent there
// that is not whole is needed, too. It is one compound command: a shell that reads it from standard input has read all
// of it before it begins, and nothing beyond.
enum class Trust { whole, none };  // in an agent that is there: if it is whole, as far as the device can tell; or not
std::string bootstrap_script(const std::vector<AgentFile>& agents, const config::DeviceEntry& device,
                             Trust trust = Trust::whole);

// Of a batch job: waits until the agent was delivered by someone who attaches, and becomes it (samples::Attach says
// what `holder` is).
std::string batch_script(const std::vector<AgentFile>& agents, const config::DeviceEntry& device,
                         const std::string& holder);

// A share's folders and batch jobs are called so: two devices of a study may be one machine.
std::string run_name(const Share& share);

// A word that a POSIX shell takes as exactly this text.
std::string shell_quoted(const std::string& text);

// Sends the script, and the agent if the device lacks it; sets `*had_agent`, unless null, to whether the device said
// that it has one. Errors: `lost`; the device is of another kind, or did not answer.
asio::awaitable<Result<samples::Arrival>> bootstrap(Connection& device, const std::string& script,
                                                    const std::vector<AgentFile>& agents, bool* had_agent = nullptr);

}  // namespace ngb::dispatch
