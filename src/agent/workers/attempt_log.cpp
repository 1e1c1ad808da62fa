// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/attempt_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"

namespace ngb::agent {

Result<FileDescriptor> create_log(const std::filesystem::path& path) {
  FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd.is_open()) return tl::unexpected(file::from_errno("create the log", path, errno));
  return fd;
}

std::string last_lines(const std::filesystem::path& path) {
  constexpr off_t kMaxBytes = 2000;
  constexpr int kMaxLines = 20;
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) return {};
  const off_t begin = std::max<off_t>(0, status.st_size - kMaxBytes);
  std::string bytes(static_cast<std::size_t>(std::min(status.st_size, kMaxBytes)), '\0');
  const ssize_t count = ::pread(fd.get(), bytes.data(), bytes.size(), begin);
  if (count <= 0) return {};
  bytes.resize(static_cast<std::size_t>(count));
  std::string_view kept = bytes;
  if (const std::size_t newline = kept.find('\n'); begin > 0 && newline != std::string_view::npos) {
    kept.remove_prefix(newline + 1);  // the incomplete line
  }
  kept = text::trim(kept);
  std::size_t from = kept.size();
  for (int lines = 0; lines < kMaxLines && from != std::string_view::npos && from > 0; ++lines) {
    from = kept.rfind('\n', from - 1);
  }
  if (from != std::string_view::npos && from > 0) kept.remove_prefix(from + 1);
  return text::to_utf8(kept);
}

void quote_log(samples::Failure& failure, const std::filesystem::path& path, const std::string& shown_path) {
  const std::string lines = last_lines(path);
  failure.message = text::to_utf8(failure.message);
  failure.message += lines.empty() ? fmt::format(" ({} is empty)", shown_path)
                                   : fmt::format("\nlast lines of {}:\n{}", shown_path, lines);
}

}  // namespace ngb::agent
