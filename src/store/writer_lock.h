// SPDX-License-Identifier: Apache-2.0
// Allows one writer per results file. The lock is a file beside the results file, locked with flock while the object
// exists and removed by its destructor. A dead process holds no lock even if its file is left.
#pragma once

#include <filesystem>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"

namespace ngb::store {

class WriterLock {
 public:
  // Waits at most `patience` for another process that holds the lock: `ngb show` holds it for a moment while it saves
  // derived values. Returns an error that names the holder if the lock is still held, or an error if the folder is not
  // writable.
  static Result<WriterLock> acquire(const std::filesystem::path& results_file, Nanoseconds patience);
  WriterLock(WriterLock&& other) noexcept = default;
  WriterLock& operator=(WriterLock&&) = delete;
  ~WriterLock();

 private:
  WriterLock(FileDescriptor fd, std::filesystem::path path) : fd_(std::move(fd)), path_(std::move(path)) {}
  FileDescriptor fd_;
  std::filesystem::path path_;
};

// Describes the other programs that hold locks on a file.

// Returns text such as "python3 (process 123), sqlite3 (process 456)", from /proc/locks. Returns "another program" if
// the kernel does not list a holder, which may be on another machine or in another container. Does not open the file,
// because closing it would release this process's own locks.
std::string describe_holders(const std::filesystem::path& file);

}  // namespace ngb::store
