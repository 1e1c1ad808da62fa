// SPDX-License-Identifier: Apache-2.0
// One agent at a time works in a folder.
#pragma once

#include <filesystem>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"

namespace ngb::agent {

// Takes the folder's lock (the file `lock` in it, which holds our pid and the boot id) and keeps it as long as the
// descriptor is open; the kernel lets go when the process ends, however it ends. Waits up to `patience` for a dying
// predecessor. Errors: "in use by process …"; a folder that cannot be written.
Result<FileDescriptor> lock_folder(const std::filesystem::path& folder, Nanoseconds patience);

}  // namespace ngb::agent
