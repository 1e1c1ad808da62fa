// SPDX-License-Identifier: Apache-2.0
// Locks what two runs must not use at the same time, because they would disturb each other: a device elsewhere, or the
// machine of the client.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/file.h"
#include "samples/delivery_messages.h"

namespace ngb::agent {

// Locks the device's folder for `task`, a path within it. If another run holds the lock, returns an error and sets
// `busy`, so that the client can wait.
Result<FileDescriptor> lock_device(const std::filesystem::path& device_folder, const std::string& task,
                                   std::optional<samples::Busy>& busy);

// Locks this machine for the run in `work_folder`, by a lock in `machine_folder`, which is made if it is missing.
// Returns an error that names the other run if there is one, or if the folder is not writable.
Result<FileDescriptor> lock_machine(const std::filesystem::path& machine_folder,
                                    const std::filesystem::path& work_folder);

}  // namespace ngb::agent
