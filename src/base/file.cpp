// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

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

std::string advice(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free some space and run the same command again";
    case EACCES:
    case EPERM:
    case EROFS:
      return "check the permissions, or choose another folder";
    default:
      return {};
  }
}

}  // namespace

Error from_errno(std::string_view verb, const std::filesystem::path& path, int error_number) {
  return {fmt::format("cannot {}: {}", verb, std::generic_category().message(error_number)), path.string(),
          advice(error_number)};
}

Result<std::string> read(const std::filesystem::path& path, std::uint64_t limit_bytes) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) return tl::unexpected(from_errno("read", path, errno));
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return tl::unexpected(from_errno("read", path, errno));
  if (S_ISDIR(status.st_mode)) return tl::unexpected(from_errno("read", path, EISDIR));
  std::string content;
  std::string chunk(static_cast<std::size_t>(status.st_size > 0 ? status.st_size : 1 << 16) + 1, '\0');
  for (;;) {
    const ssize_t count = ::read(fd.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(from_errno("read", path, errno));
    if (count == 0) return content;
    content.append(chunk, 0, static_cast<std::size_t>(count));
    if (content.size() > limit_bytes) return fail(fmt::format("larger than {} bytes", limit_bytes), path.string());
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

Status write_atomically(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path partial = path.string() + fmt::format(".{}.partial", ::getpid());
  FileDescriptor fd(::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd.is_open()) return tl::unexpected(from_errno("write", path, errno));
  Status written = write_all(fd.get(), content, path.string());
  if (written && ::fdatasync(fd.get()) != 0) written = tl::unexpected(from_errno("write", path, errno));
  fd.reset();
  if (written && ::rename(partial.c_str(), path.c_str()) != 0) {
    written = tl::unexpected(from_errno("write", path, errno));
  }
  if (!written) ::unlink(partial.c_str());
  return written;
}

Status make_folder(const std::filesystem::path& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) return tl::unexpected(from_errno("create folder", path, code.value()));
  return Done{};
}

}  // namespace file
}  // namespace ngb
