// SPDX-License-Identifier: Apache-2.0
// Where a client that has reached this device from elsewhere (ssh, a batch job) is received: takes what it brings, then
// leads it to the agent of its run, which stays when the client is gone.
#pragma once

#include <filesystem>

namespace ngb::agent {

struct ReceptionOptions {
  std::filesystem::path device_folder{};  // made where it is not there
  std::filesystem::path program{};        // ngb-agent, to be started as the agent of a run
};

// Speaks with the client on standard input and output (samples/delivery.h, then samples/message.h) until either side
// goes. Returns the process's exit code: 0, or 3 when it could not go on (the client was told why). Files and folders
// that it makes are for their owner alone.
int receive_client(const ReceptionOptions& options);

}  // namespace ngb::agent
