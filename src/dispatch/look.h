// SPDX-License-Identifier: Apache-2.0
// Visits a device elsewhere outside any run. Leaves nothing there but the agent and what the task delivers.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "config/device.h"
#include "dispatch/delivery/parts.h"
#include "dispatch/link/connection.h"
#include "dispatch/link/event_loop.h"

namespace ngb::dispatch {

using LookTask = std::function<asio::awaitable<Status>(Connection& device, const samples::Arrival& arrival)>;

// Connects to the device and runs `task`. Returns an error if the device cannot be reached, or the error of `task`. The
// output of ssh goes to `log_folder`, in a file for each device. All references outlive the call.
asio::awaitable<Status> look(Loop& loop, const Parts& parts, const config::DeviceEntry& device,
                             const std::filesystem::path& log_folder, const LookTask& task);

}  // namespace ngb::dispatch
