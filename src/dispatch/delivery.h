// SPDX-License-Identifier: Apache-2.0
// Bringing trees of files to a device: only what it lacks, from where an earlier delivery was cut off.
#pragma once

#include <functional>
#include <vector>

#include "dispatch/bundle.h"
#include "dispatch/connection.h"

namespace ngb::dispatch {

// Told of the bytes that are still to be sent.
using OnBytesLeft = std::function<void(std::uint64_t bytes)>;

// Which of these trees the device lacks. Nothing: the connection ended.
asio::awaitable<Result<std::optional<std::vector<std::string>>>> ask(Connection& device,
                                                                     const std::vector<std::string>& trees);

// The device has the tree when this is true; false: the connection ended. Error: the device refused it (disk full), or
// a file here cannot be read.
asio::awaitable<Result<bool>> deliver(Connection& device, const LocalTree& tree, const OnBytesLeft& on_bytes_left);

}  // namespace ngb::dispatch
