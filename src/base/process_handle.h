// SPDX-License-Identifier: Apache-2.0
// Refers to processes by handles: a Handle is one process, and no later one with the same number.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/file.h"

namespace ngb::process {

class Handle {
 public:
  // Returns nothing if there is no such process or the number is not above 1.
  static std::optional<Handle> open(pid_t pid);

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Sends a signal. Returns false if the process has ended or this user may not signal it. No other process can receive
  // the signal: a pidfd ensures that or, before Linux 5.3, the time at which the process started.
  [[nodiscard]] bool signal(int number) const;

 private:
  Handle(pid_t pid, FileDescriptor fd, std::string started)
      : pid_(pid), fd_(std::move(fd)), started_(std::move(started)) {}

  pid_t pid_;
  FileDescriptor fd_;
  std::string started_;  // as /proc reports it
};

// Returns a descriptor that is readable (POLLIN) once the process has ended, even as a zombie. It is not open if the
// kernel has no pidfd_open (before 5.3) or refuses it; then the caller must check for the end every kPollPause.
FileDescriptor end_of(pid_t pid);
inline constexpr Nanoseconds kPollPause = std::chrono::milliseconds(5);

// Returns when the process has ended, after `patience`, or earlier: the caller checks the process and calls again.
void wait_for_end(const FileDescriptor& end, Nanoseconds patience);

// Returns whether the process has the file open that `path` names now. Returns false also without permission to see.
bool has_open(pid_t pid, const std::filesystem::path& path);

// Returns a text that is equal for two processes if, and only if, process numbers mean the same to both.
std::string pid_namespace();

}  // namespace ngb::process
