// SPDX-License-Identifier: Apache-2.0
// Files and folders, with errors that name the path.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
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

// Opens a regular file for reading. Fails at once for others: a folder, a FIFO without a writer, a device.
Result<FileDescriptor> open_to_read(const std::filesystem::path& path);

// Fails, as open_to_read does, unless `path` leads to a regular file. It opens nothing, because closing a descriptor
// would release the locks that this process (SQLite in it) holds on the file.
Status require_regular(const std::filesystem::path& path);

// Returns the whole file. Fails if it is larger than `limit_bytes` or not a regular file.
Result<std::string> read(const std::filesystem::path& path, std::uint64_t limit_bytes = 1ULL << 30);

// Replaces `path` in one step: a reader sees the old or the new content, never a part, also after a power cut. Content
// and name are on disk when this returns. An error leaves nothing behind.
Status write_atomically(const std::filesystem::path& path, std::string_view content);
// Does the same, and fails if there is something at `path`.
Status write_new(const std::filesystem::path& path, std::string_view content);

// Returns where `name`, a path relative to `folder`, really is: below the folder, after all links were followed.
// Returns nothing if it is elsewhere or does not exist. For names that somebody else may have written.
std::optional<std::filesystem::path> find_within(const std::filesystem::path& folder,
                                                 const std::filesystem::path& name);

// Returns a new name beside `path` for a file that will be renamed to `path`: `path`.HOST-PID-NUMBER.partial. No two
// calls return the same name, even on machines that share the folder.
std::filesystem::path partial_path(const std::filesystem::path& path);

// Renames a file or a folder, and replaces whatever has the name `to`. A power cut may undo that.
Status rename_to(const std::filesystem::path& from, const std::filesystem::path& to);

// Renames `made`, a file or a folder, to `path` on the same file system. The content is on disk before the rename
// (fsync of a file, syncfs for a folder) and the name after it (fsync of the parent folder), so a file that has its
// name is whole, also after a power cut. After an error before the rename, the caller removes `made`.
Status put_in_place(const std::filesystem::path& made, const std::filesystem::path& path);
// Does the same, and fails if there is something at `path`, even if it came in between.
Status put_in_new_place(const std::filesystem::path& made, const std::filesystem::path& path);

// Removes files and folders that partial_path() named for `path` and that did not change for so long, because the
// process that made them was killed. What cannot be removed is left.
void remove_old_partials(const std::filesystem::path& path, std::chrono::hours unchanged = std::chrono::hours(24));

// Puts the names in `folder` on disk, that is what was created, renamed or removed there.
Status sync_folder(const std::filesystem::path& folder);

// Writes all of `bytes`, also after short writes and EINTR.
Status write_all(int fd, std::string_view bytes, const std::string& where);

// Makes the folder and its missing parents with these rights, of which the umask takes some away. Their names are on
// disk when this returns.
Status make_folder(const std::filesystem::path& path, mode_t mode = 0777);

// Returns the absolute path that the variable `own` names, from the working folder if it names a relative one; else
// "ngraphbench" in the folder that the variable `xdg` names, unless that is relative, as XDG demands; else
// "ngraphbench" in the folder `below_home` of the home folder. Returns "" if there is no home folder.
std::filesystem::path user_folder(const char* own, const char* xdg, const char* below_home);

// Returns an error with the text of errno: "cannot <verb>: <reason>", where = path, and its code.
Error from_errno(std::string_view verb, const std::filesystem::path& path, int error_number);

}  // namespace file
}  // namespace ngb
