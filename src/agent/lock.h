// SPDX-License-Identifier: Apache-2.0
// Locks a folder, so that only one process at a time works in it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/process.h"
#include "base/result.h"

namespace ngb::agent {

// The holder of a lock, as it has written itself into the lock's file.
struct LockOwner {
  pid_t pid = 0;
  std::string boot_id{};
  std::string pid_namespace{};
  std::string task{};  // what it works on: "runs/…"; empty if unknown

  // Returns "process 12", "process 12 on another machine" or "process 12 of another container".
  [[nodiscard]] std::string text() const;
  // Returns whether its pid is valid here: same boot, same pid namespace.
  [[nodiscard]] bool is_here() const;
};

// Locks the folder as long as the returned descriptor is open; the kernel unlocks it when the process ends in any way.
// The descriptor is not open if another process holds the lock. The lock is on the file `name` in the folder, into
// which this process and `task` are written; its holder may unlink the file. Returns an error if the folder is not
// writable, or if a file of that name is not a lock's; that file is left as it is.
Result<FileDescriptor> try_lock(const std::filesystem::path& folder, const std::string& task = {},
                                const std::string& name = "lock");

// Calls try_lock until it succeeds, for at most `patience`, because a predecessor may be ending. Returns the errors of
// try_lock, or "in use by process …" with `advice`.
Result<FileDescriptor> lock_folder(const std::filesystem::path& folder, Nanoseconds patience,
                                   const std::string& task = {},
                                   const std::string& advice = "wait until that has ended");

// Returns the holder that the lock's file names; nothing if the file is missing or names none.
std::optional<LockOwner> lock_owner(const std::filesystem::path& folder);

// Returns whether a process holds that lock now.
bool is_locked(const std::filesystem::path& folder, const std::string& name = "lock");

// Returns whether the file is empty or was written by the holder of a lock.
bool is_lock_file(const std::filesystem::path& path);

// Returns the process that holds the folder's lock. It may be signalled: it is on this machine, in our pid namespace,
// and has the lock's file open. `pid` is given if the holder is known by other means than the file. Returns an error
// that names the holder and what to do if it may not be signalled.
Result<process::Handle> lock_holder(const std::filesystem::path& folder, std::optional<pid_t> pid = {});

}  // namespace ngb::agent
