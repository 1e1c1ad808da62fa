// SPDX-License-Identifier: Apache-2.0
// Bringing trees of files to a device: only what it lacks, from where an earlier delivery was cut off.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "dispatch/delivery/bundle.h"
#include "dispatch/link/answer.h"
#include "dispatch/link/connection.h"

namespace ngb::dispatch {

// Told of the bytes that were sent now.
using OnSent = std::function<void(std::uint64_t bytes)>;
// The file's bytes from `offset_bytes` to `size_bytes`, a little at a time; fewer when the connection ends. Error: it
// cannot be read, or is shorter.
asio::awaitable<Status> send_file(Connection& device, const std::filesystem::path& source, std::uint64_t offset_bytes,
                                  std::uint64_t size_bytes, const OnSent& on_sent);

// Told of the bytes that are still to be sent.
using OnBytesLeft = std::function<void(std::uint64_t bytes)>;

// Which of these trees the device lacks. `run`: the work folder there of the run that they are for; empty: of none.
// Nothing: the connection ended.
asio::awaitable<Result<std::optional<std::vector<std::string>>>> ask(Connection& device,
                                                                     const std::vector<std::string>& trees,
                                                                     const std::string& run = {});

// `on_wait` is told, again and again, for what the device lets us wait. The device has the tree, and `keep_free_bytes`
// of disk, when this is true; false: the connection ended. Error: the device refused it (disk full), or a file here
// cannot be read.
asio::awaitable<Result<bool>> deliver(Connection& device, const LocalTree& tree, std::uint64_t keep_free_bytes,
                                      const OnBytesLeft& on_bytes_left, OnProgress on_wait = {});

}  // namespace ngb::dispatch
