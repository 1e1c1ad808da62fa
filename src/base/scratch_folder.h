// SPDX-License-Identifier: Apache-2.0
// A folder for files that are needed only while a command works.
#pragma once

#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace ngb {

// ScratchFolder makes a new folder, which only its owner may use, and removes it with all that it holds. It is locked
// as long as its program lives.
class ScratchFolder {
 public:
  // The folder gets a name of its own beside `path` (file::partial_path). Those that killed programs of this host left
  // there are removed; those of other hosts, and on a file system without locks all, after a day.
  static Result<ScratchFolder> beside(const std::filesystem::path& path);
  // Does the same in the folder for temporary files (TMPDIR). Returns an error if there is none.
  static Result<ScratchFolder> temporary(const std::string& name);
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  ScratchFolder(std::filesystem::path path, FileDescriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;  // "": moved from
  FileDescriptor lock_;
};

}  // namespace ngb
