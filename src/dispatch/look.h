// SPDX-License-Identifier: Apache-2.0
// A visit to a device that belongs to no run: leaves the agent there, and what the task brings.
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

// Error: it cannot be reached, or that of the task. `log_folder`: what ssh says, a file for each device. All references
// outlive it.
asio::awaitable<Status> look(Loop& loop, const Parts& parts, const config::DeviceEntry& device,
                             const std::filesystem::path& log_folder, const LookTask& task);

}  // namespace ngb::dispatch
