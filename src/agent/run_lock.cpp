// SPDX-License-Identifier: Apache-2.0
#include "agent/run_lock.h"

#include <fmt/format.h>

#include <chrono>

#include "agent/lock.h"
#include "base/text.h"

namespace ngb::agent {
namespace {

constexpr Nanoseconds kRunLockPatience = std::chrono::seconds(5);

}  // namespace

Result<FileDescriptor> lock_device(const std::filesystem::path& device_folder, const std::string& task,
                                   std::optional<samples::Busy>& busy) {
  Result<FileDescriptor> lock = lock_folder(device_folder, kRunLockPatience, task);
  if (lock) return lock;
  const std::optional<LockOwner> owner = lock_owner(device_folder);
  if (owner && is_locked(device_folder)) busy = {text::to_utf8(owner->task), owner->text()};
  return lock;
}

Result<FileDescriptor> lock_machine(const std::filesystem::path& machine_folder,
                                    const std::filesystem::path& work_folder) {
  if (const Status made = file::make_folder(machine_folder); !made) {
    return fail(made.error().what, made.error().where,
                "name a folder that can be written, for the cache, with NGB_CACHE", made.error().code);
  }
  Result<FileDescriptor> lock = lock_folder(machine_folder, kRunLockPatience, work_folder.string());
  if (lock || !is_locked(machine_folder)) return lock;
  const std::optional<LockOwner> owner = lock_owner(machine_folder);
  return fail(
      fmt::format("another run is measured on this machine: {}, in {}; two at a time would disturb each other",
                  owner ? owner->text() : "a process", owner ? text::to_utf8(owner->task) : "an unknown folder"),
      machine_folder.string(), "wait until it has ended, or end it; then run the same command again");
}

}  // namespace ngb::agent
