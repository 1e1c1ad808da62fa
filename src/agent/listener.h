// SPDX-License-Identifier: Apache-2.0
// The socket in a work folder at which an agent that outlives its clients meets them.
#pragma once

#include <filesystem>

#include "base/file.h"
#include "base/result.h"

namespace ngb::agent {

// The caller holds the folder's lock: whatever socket is there, nobody listens to it.
Result<FileDescriptor> listen_in(const std::filesystem::path& work_folder);

// Never waits. None: nobody was there.
FileDescriptor accept_client(const FileDescriptor& listener);

// None: nobody listens there.
FileDescriptor connect_to(const std::filesystem::path& work_folder);

}  // namespace ngb::agent
