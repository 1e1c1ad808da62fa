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

namespace {

constexpr off_t kMaxBytes = 2000;
constexpr int kMaxLines = 20;
// Python's faulthandler begins with it. The innermost call follows first, and the outermost ones are of no interest.
constexpr std::string_view kPythonsStack = "Fatal Python error: ";

std::string_view first_lines(std::string_view text) {
  text = text.substr(0, kMaxBytes);
  std::size_t end = 0;
  for (int lines = 0; lines < kMaxLines && end != std::string_view::npos; ++lines) end = text.find('\n', end + 1);
  return text::trim(text.substr(0, end));
}

}  // namespace

std::string last_lines(const std::filesystem::path& path) {
  constexpr off_t kReadBytes = 8 * kMaxBytes;
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) return {};
  const off_t begin = std::max<off_t>(0, status.st_size - kReadBytes);
  std::string bytes(static_cast<std::size_t>(std::min(status.st_size, kReadBytes)), '\0');
  const ssize_t count = ::pread(fd.get(), bytes.data(), bytes.size(), begin);
  if (count <= 0) return {};
  bytes.resize(static_cast<std::size_t>(count));
  std::string_view kept = bytes;
  if (const std::size_t stack = kept.rfind(kPythonsStack); stack != std::string_view::npos) {
    return text::to_utf8(first_lines(kept.substr(stack)));
  }
  const bool is_cut = kept.size() > kMaxBytes;
  if (is_cut) kept.remove_prefix(kept.size() - kMaxBytes);
  if (const std::size_t newline = kept.find('\n'); is_cut && newline != std::string_view::npos) {
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
