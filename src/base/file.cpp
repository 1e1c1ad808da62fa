// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/partials.h"
#include "base/removal.h"

namespace ngb {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int FileDescriptor::release() { return std::exchange(fd_, -1); }

void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

namespace file {
namespace {

ErrorCode code_of(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return ErrorCode::disk_full;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::no_permission;
    case ENOENT:
      return ErrorCode::not_found;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EIO:
      return ErrorCode::unable;
    default:
      return ErrorCode::other;
  }
}

std::string advice(ErrorCode code, int error_number) {
  if (error_number == EFBIG)
    return "raise the shell's limit of a file's size (ulimit -f) and run the same command again";
  if (error_number == ELOOP) return "it is a link, which ngb does not follow where it writes: remove it";
  if (code == ErrorCode::disk_full) return "free some space and run the same command again";
  if (code == ErrorCode::no_permission) return "check the permissions, or choose another folder";
  return {};
}

}  // namespace

Error from_errno(std::string_view verb, const std::filesystem::path& path, int error_number) {
  const ErrorCode code = code_of(error_number);
  return {fmt::format("cannot {}: {}", verb, std::generic_category().message(error_number)), path.string(),
          advice(code, error_number), code};
}

namespace {

Status check_kind(const struct stat& status, const std::filesystem::path& path) {
  if (S_ISREG(status.st_mode)) return Done{};
  if (S_ISDIR(status.st_mode)) return tl::unexpected(from_errno("read", path, EISDIR));
  const char* const kind = S_ISFIFO(status.st_mode) ? "a FIFO" : S_ISSOCK(status.st_mode) ? "a socket" : "a device";
  return fail(fmt::format("cannot read: {}, not a file", kind), path.string(), "name a regular file");
}

}  // namespace

Status require_regular(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return tl::unexpected(from_errno("read", path, errno));
  return check_kind(status, path);
}

Result<FileDescriptor> open_to_read(const std::filesystem::path& path) {
  // On a FIFO, O_NONBLOCK keeps open from waiting for a writer. It changes nothing for a regular file.
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.is_open()) return tl::unexpected(from_errno("read", path, errno));
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return tl::unexpected(from_errno("read", path, errno));
  if (Status regular = check_kind(status, path); !regular) return error_of(regular);
  return fd;
}

Result<std::string> read(const std::filesystem::path& path, std::uint64_t limit_bytes) {
  const Result<FileDescriptor> opened = open_to_read(path);
  if (!opened) return error_of(opened);
  const FileDescriptor& fd = *opened;
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return tl::unexpected(from_errno("read", path, errno));
  const auto too_large = [&] { return fail(fmt::format("larger than {} bytes", limit_bytes), path.string()); };
  // The size is checked before memory is allocated: a file of unknown origin may claim terabytes.
  if (status.st_size > 0 && static_cast<std::uint64_t>(status.st_size) > limit_bytes) return too_large();
  std::string content;
  std::string chunk(static_cast<std::size_t>(status.st_size > 0 ? status.st_size : 1 << 16) + 1, '\0');
  for (;;) {
    const ssize_t count = ::read(fd.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(from_errno("read", path, errno));
    if (count == 0) return content;
    content.append(chunk, 0, static_cast<std::size_t>(count));
    if (content.size() > limit_bytes) return too_large();
  }
}

Status write_all(int fd, std::string_view bytes, const std::string& where) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(from_errno("write", where, errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return Done{};
}

Status sync_folder(const std::filesystem::path& folder) {
  if (is_in_partial(folder / "name")) return Done{};
  const std::filesystem::path named = folder.empty() ? "." : folder;
  const FileDescriptor fd(::open(named.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder may be writable but not readable. Then it cannot be synced, and only its file system keeps the names.
  if (!fd.is_open() && errno == EACCES) return Done{};
  if (!fd.is_open()) return tl::unexpected(from_errno("write", named, errno));
  // EINVAL: some file systems keep names in order by themselves and do not offer fsync of a folder.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) return tl::unexpected(from_errno("write", named, errno));
  return Done{};
}

Status rename_to(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return Done{};
  return tl::unexpected(from_errno("write", to, errno));
}

namespace {

Status rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return Done{};
  if (errno != EINVAL && errno != ENOSYS) return tl::unexpected(from_errno("write", to, errno));
  // The file system has no such renaming: a second name for the file fails likewise if there is one.
  if (::link(from.c_str(), to.c_str()) != 0) return tl::unexpected(from_errno("write", to, errno));
  file::remove(from);
  return Done{};
}

using Rename = Status (*)(const std::filesystem::path& from, const std::filesystem::path& to);

Status put_as(const std::filesystem::path& made, const std::filesystem::path& path, Rename rename) {
  if (is_in_partial(path)) return rename(made, path);
  const FileDescriptor fd(::open(made.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) return tl::unexpected(from_errno("write", path, errno));
  const int synced = S_ISDIR(status.st_mode) ? ::syncfs(fd.get()) : ::fsync(fd.get());
  if (synced != 0) return tl::unexpected(from_errno("write", path, errno));
  const Status renamed = rename(made, path);
  return renamed ? sync_folder(path.parent_path()) : renamed;
}

Status write_as(const std::filesystem::path& path, std::string_view content, Rename rename) {
  const std::filesystem::path partial = partial_path(path);
  FileDescriptor fd(::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd.is_open()) return tl::unexpected(from_errno("write", path, errno));
  Status written = write_all(fd.get(), content, path.string());
  fd.reset();
  if (written) written = put_as(partial, path, rename);
  if (!written) file::remove(partial);
  remove_old_partials(path);
  return written;
}

}  // namespace

Status put_in_place(const std::filesystem::path& made, const std::filesystem::path& path) {
  return put_as(made, path, rename_to);
}
Status put_in_new_place(const std::filesystem::path& made, const std::filesystem::path& path) {
  return put_as(made, path, rename_to_new);
}
Status write_atomically(const std::filesystem::path& path, std::string_view content) {
  return write_as(path, content, rename_to);
}
Status write_new(const std::filesystem::path& path, std::string_view content) {
  return write_as(path, content, rename_to_new);
}

Status make_folder(const std::filesystem::path& path, mode_t mode) {
  std::error_code code;
  std::vector<std::filesystem::path> missing;
  for (std::filesystem::path each = path; !each.empty() && !std::filesystem::exists(each, code);) {
    missing.push_back(each);
    if (each == each.parent_path()) break;
    each = each.parent_path();
  }
  std::reverse(missing.begin(), missing.end());
  for (const std::filesystem::path& each : missing) {
    if (::mkdir(each.c_str(), mode) != 0 && errno != EEXIST) {
      return tl::unexpected(from_errno("create folder", path, errno));
    }
    if (Status synced = sync_folder(each.parent_path()); !synced) return synced;
  }
  if (std::filesystem::is_directory(path, code)) return Done{};
  return tl::unexpected(from_errno("create folder", path, code ? code.value() : ENOTDIR));
}

std::filesystem::path user_folder(const char* own, const char* xdg, const char* below_home) {
  const auto path_in = [](const char* name) { return std::filesystem::path(environment::variable(name)); };
  std::error_code code;  // the working folder may be gone: then a relative path names none
  if (!path_in(own).empty()) return std::filesystem::absolute(path_in(own), code);
  if (path_in(xdg).is_absolute()) return path_in(xdg) / "ngraphbench";
  const std::filesystem::path home = path_in("HOME");
  return home.empty() ? home : std::filesystem::absolute(home, code) / below_home / "ngraphbench";
}

std::optional<std::filesystem::path> find_within(const std::filesystem::path& folder,
                                                 const std::filesystem::path& name) {
  std::error_code code;
  const std::filesystem::path real_folder = std::filesystem::canonical(folder, code);
  if (code) return std::nullopt;
  std::filesystem::path real = std::filesystem::canonical(real_folder / name, code);
  if (code || !real.string().starts_with((real_folder / "").string())) return std::nullopt;
  return real;
}

}  // namespace file
}  // namespace ngb
