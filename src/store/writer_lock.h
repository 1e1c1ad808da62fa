// SPDX-License-Identifier: Apache-2.0
// One writer per results file: a lock file beside it, held by flock for as long as the object lives and removed with
// it. A dead process holds no lock, whatever file it left.
#pragma once

#include <filesystem>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"

namespace ngb::store {

class WriterLock {
 public:
  // Waits for `patience` where another process holds it: one that shows the results keeps what it has computed, and is
  // done soon. Error: still held (by whom), or the folder cannot be written.
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
