// SPDX-License-Identifier: Apache-2.0
// Prepares the folder of one run on one device, with journal, logs, models that are being measured and temporary files.
#pragma once

#include <filesystem>

#include "base/file.h"
#include "base/result.h"

namespace ngb::agent {

// Creates the folder if it is missing, locks it, ends the processes that a killed agent has left, and deletes its
// unfinished files. Returns the lock, which is held as long as the descriptor is open. Returns an error if another
// agent works there, a process cannot be ended, the folder is not writable, or it has files in the place of ours and no
// run has worked there.
Result<FileDescriptor> begin_work_in(const std::filesystem::path& work_folder);

}  // namespace ngb::agent
