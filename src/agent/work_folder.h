// SPDX-License-Identifier: Apache-2.0
// Prepares the folder of one run on one device, with journal, logs, models that are being measured and temporary files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "samples/delivery_messages.h"

namespace ngb::agent {

// Creates the folder if it is missing, locks it, ends the processes that a killed agent has left, and deletes its
// unfinished files. Returns the lock, which is held as long as the descriptor is open. Returns an error if another
// agent works there, a process cannot be ended, the folder is not writable, or it has files in the place of ours and no
// run has worked there.
Result<FileDescriptor> begin_work_in(const std::filesystem::path& work_folder);

// Locks what two runs must not use at the same time, because they would disturb each other: a device elsewhere, or the
// machine of the client.

// Locks the device's folder for `task`, a path within it. If another run holds the lock, returns an error and sets
// `busy`, so that the client can wait.
Result<FileDescriptor> lock_device(const std::filesystem::path& device_folder, const std::string& task,
                                   std::optional<samples::Busy>& busy);

// Locks this machine for the run in `work_folder`, by a lock in `machine_folder`, which is made if it is missing.
// Returns an error that names the other run if there is one, or if the folder is not writable.
Result<FileDescriptor> lock_machine(const std::filesystem::path& machine_folder,
                                    const std::filesystem::path& work_folder);

}  // namespace ngb::agent
