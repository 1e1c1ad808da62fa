// SPDX-License-Identifier: Apache-2.0
// The socket in a work folder at which a resident agent accepts its clients.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/result.h"

namespace ngb::agent {

// Listens in the folder and replaces a socket that is there. The caller holds the folder's lock, so no other agent
// listens.
Result<FileDescriptor> listen_in(const std::filesystem::path& work_folder);

// Accepts a waiting client without blocking. The descriptor is not open if no client waits.
FileDescriptor accept_client(const FileDescriptor& listener);

// Returns the process that listens at the other end, by its pid in this pid namespace; nothing if it is in another
// namespace or another user's.
std::optional<pid_t> peer_of(const FileDescriptor& agent);

// Connects to the agent that listens in the folder. The descriptor is not open if none does.
FileDescriptor connect_to(const std::filesystem::path& work_folder);

}  // namespace ngb::agent
