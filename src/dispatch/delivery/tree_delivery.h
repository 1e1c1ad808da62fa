// SPDX-License-Identifier: Apache-2.0
// Delivers trees of files to a device: only what it lacks, from where an earlier delivery was cut off. Errors with the
// code `lost`: the connection ended.
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

// Called with the number of bytes just sent.
using OnSent = std::function<void(std::uint64_t bytes)>;
// Sends the file's bytes from `offset_bytes` to `size_bytes`, a little at a time; fewer when the connection ends.
// Error: the file cannot be read, or has become shorter.
asio::awaitable<Status> send_file(Connection& device, const std::filesystem::path& source, std::uint64_t offset_bytes,
                                  std::uint64_t size_bytes, const OnSent& on_sent);

// Called with the number of bytes still to be sent.
using OnBytesLeft = std::function<void(std::uint64_t bytes)>;

// Returns those of these trees that the device lacks. `run`: the work folder there of the run that needs them; empty:
// no run does.
asio::awaitable<Result<std::vector<std::string>>> ask(Connection& device, const std::vector<std::string>& trees,
                                                      const std::string& run = {});

// Afterwards the device has the tree, and `keep_free_bytes` of its disk are free. `on_wait` is called, again and again,
// with what the device makes us wait for. Errors: also that the device refused the tree (disk full), or that a file
// here cannot be read.
asio::awaitable<Status> deliver(Connection& device, const LocalTree& tree, std::uint64_t keep_free_bytes,
                                const OnBytesLeft& on_bytes_left, OnProgress on_wait = {});

}  // namespace ngb::dispatch
