// SPDX-License-Identifier: Apache-2.0
// Files and folders, with errors that name the path.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ngb {

// Owns a file descriptor; -1 means none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

namespace file {

// The whole file. Error when it is larger than `limit_bytes`.
Result<std::string> read(const std::filesystem::path& path, std::uint64_t limit_bytes = 1ULL << 30);

// Replaces `path` in one step: a reader sees the old or the new content, never a part. The content is on disk
// (fdatasync) when this returns. Nothing is left behind on an error.
Status write_atomically(const std::filesystem::path& path, std::string_view content);

// Writes all of `bytes`, through short writes and EINTR. The Error says "no space left" when the disk is full.
Status write_all(int fd, std::string_view bytes, const std::string& where);

Status make_folder(const std::filesystem::path& path);

// An Error with the text of errno: "cannot <verb>: <reason>", where = path.
Error from_errno(std::string_view verb, const std::filesystem::path& path, int error_number);

}  // namespace file
}  // namespace ngb
