// SPDX-License-Identifier: Apache-2.0
// Receives a client that has connected to this device from elsewhere (ssh, a batch job): receives its deliveries, then
// connects it to the agent of its run, which outlives the client.
#pragma once

#include <filesystem>

#include "base/clock.h"

namespace ngb::reception {

struct ReceptionOptions {
  std::filesystem::path device_folder{};  // created if it is missing
  std::filesystem::path program{};        // ngb-agent, which is started as the agent of a run
  // A delivery whose client has sent nothing for this long ends if another client waits.
  Nanoseconds silence = std::chrono::seconds(20);
};

// Serves the client on standard input and output (samples/delivery_messages.h, then samples/message.h) until either
// side disconnects. Returns the process's exit code: 0, or 3 after an error that was sent to the client. Files and
// folders that it creates are private to their owner.
int receive_client(const ReceptionOptions& options);

}  // namespace ngb::reception
