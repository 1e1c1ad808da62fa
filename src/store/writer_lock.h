// SPDX-License-Identifier: Apache-2.0
// Allows one writer per results file. The lock is a file beside the results file, locked with flock while the object
// exists and removed by its destructor. A dead process holds no lock even if its file is left.
#pragma once

#include <filesystem>

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

}  // namespace ngb::store
