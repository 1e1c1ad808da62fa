// SPDX-License-Identifier: Apache-2.0
#include "base/process_handle.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <system_error>
#include <utility>

namespace ngb::process {
namespace {

// Returns field 22 of /proc/<pid>/stat: when the process started, in ticks since the system did. The fields are counted
// from the last ")", because the name in field 2 may contain anything.
std::string start_of(pid_t pid) {
  const std::string stat = file::read(fmt::format("/proc/{}/stat", pid)).value_or("");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  constexpr int kFieldsBefore = 19;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string field;
  for (int i = 0; i <= kFieldsBefore; ++i) fields >> field;
  return field;
}

}  // namespace

std::optional<Handle> Handle::open(pid_t pid) {
  if (pid <= 1) return std::nullopt;
  errno = 0;
  FileDescriptor fd = end_of(pid);
  if (!fd.is_open() && errno == ESRCH) return std::nullopt;
  std::string started = start_of(pid);
  if (started.empty()) return std::nullopt;
  return Handle(pid, std::move(fd), std::move(started));
}

bool Handle::signal(int number) const {
#ifdef SYS_pidfd_send_signal
  if (fd_.is_open()) return ::syscall(SYS_pidfd_send_signal, fd_.get(), number, nullptr, 0) == 0;
#endif
  return start_of(pid_) == started_ && ::kill(pid_, number) == 0;
}

FileDescriptor end_of([[maybe_unused]] pid_t pid) {
#ifdef SYS_pidfd_open
  return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
#else
  return {};
#endif
}

void wait_for_end(const FileDescriptor& end, Nanoseconds patience) {
  const Nanoseconds longest = end.is_open() ? Nanoseconds(std::chrono::hours(1)) : kPollPause;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(std::clamp(patience, Nanoseconds(0), longest));
  pollfd source{end.get(), POLLIN, 0};  // poll ignores one that is not open
  ::poll(&source, 1, static_cast<int>(wait.count()));
}

bool has_open(pid_t pid, const std::filesystem::path& path) {
  struct stat wanted{};
  if (::stat(path.c_str(), &wanted) != 0) return false;
  std::error_code code;
  const std::filesystem::path folder = fmt::format("/proc/{}/fd", pid);
  for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    struct stat open{};
    if (::stat(entry->path().c_str(), &open) != 0) continue;
    if (open.st_dev == wanted.st_dev && open.st_ino == wanted.st_ino) return true;
  }
  return false;
}

std::string pid_namespace() {
  std::error_code code;
  const std::filesystem::path name = std::filesystem::read_symlink("/proc/self/ns/pid", code);
  return code ? std::string() : name.string();
}

}  // namespace ngb::process
