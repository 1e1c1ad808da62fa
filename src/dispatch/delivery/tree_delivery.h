// SPDX-License-Identifier: Apache-2.0
// Delivers trees of files to a device: only what it lacks, from where an earlier delivery was cut off. Errors with the
// code `lost`: the connection ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "dispatch/delivery/parts.h"
#include "dispatch/link/answer.h"
#include "dispatch/link/connection.h"

namespace ngb::dispatch {

// Called with the number of bytes just sent.
using OnSent = std::function<void(std::uint64_t bytes)>;
// Sends the file's bytes from `offset_bytes` to `size_bytes`, in small chunks; fewer if the connection ends. Returns an
// error if the file cannot be read or has become shorter.
asio::awaitable<Status> send_file(Connection& device, const std::filesystem::path& source, std::uint64_t offset_bytes,
                                  std::uint64_t size_bytes, const OnSent& on_sent);

// Called with the number of bytes still to be sent.
using OnBytesLeft = std::function<void(std::uint64_t bytes)>;

// Returns those of these trees that the device lacks. `run` is the work folder there of the run that needs them; empty
// if no run does.
asio::awaitable<Result<std::vector<std::string>>> ask(Connection& device, const std::vector<std::string>& trees,
                                                      const std::string& run = {});

// Delivers the tree and leaves `keep_free_bytes` of the device's disk free. While the device makes the client wait,
// `on_wait` is called repeatedly with the reason. Also returns an error if the device refuses the tree (disk full) or
// if a file here cannot be read.
asio::awaitable<Status> deliver(Connection& device, const LocalTree& tree, std::uint64_t keep_free_bytes,
                                const OnBytesLeft& on_bytes_left, OnProgress on_wait = {});

}  // namespace ngb::dispatch
