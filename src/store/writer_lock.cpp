// SPDX-License-Identifier: Apache-2.0
#include "store/writer_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <thread>

namespace ngb::store {
namespace {

// Returns who wrote the lock file: "pid 123 on host".
std::string holder(const std::filesystem::path& path) {
  const Result<std::string> text = file::read(path, 4096);
  return text && !text->empty() ? *text : "another process";
}

std::string own_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return fmt::format("pid {} on {}", ::getpid(), host[0] != '\0' ? host.data() : "this machine");
}

// Returns true if `path` still names the file behind `fd`, that is, if the last holder did not remove it in between.
bool is_current(int fd, const std::filesystem::path& path) {
  struct stat held{};
  struct stat named{};
  return ::fstat(fd, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

}  // namespace

Result<WriterLock> WriterLock::acquire(const std::filesystem::path& results_file, Nanoseconds patience) {
  std::filesystem::path path = results_file;
  path += ".lock";
  constexpr Nanoseconds kPause = std::chrono::milliseconds(20);
  const Nanoseconds give_up = system_clock().now() + patience;
  for (;;) {
    FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd.is_open()) return tl::unexpected(file::from_errno("create the lock file", path, errno));
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) return tl::unexpected(file::from_errno("lock", path, errno));
      if (system_clock().now() < give_up) {
        std::this_thread::sleep_for(kPause);
        continue;
      }
      return fail(fmt::format("the results are in use by {}", holder(path)), results_file.string(),
                  "wait until it has ended, or choose another output folder", ErrorCode::busy);
    }
    if (!is_current(fd.get(), path)) continue;
    if (::ftruncate(fd.get(), 0) != 0) return tl::unexpected(file::from_errno("write", path, errno));
    const Status written = file::write_all(fd.get(), own_name(), path.string());
    if (!written) return error_of(written);
    return WriterLock(std::move(fd), std::move(path));
  }
}

WriterLock::~WriterLock() {
  if (fd_.is_open()) ::unlink(path_.c_str());
}

}  // namespace ngb::store
