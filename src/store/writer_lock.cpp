// SPDX-License-Identifier: Apache-2.0
#include "store/writer_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/removal.h"
#include "base/text.h"

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
  if (fd_.is_open()) file::remove(path_);
}

namespace {

// Returns the process (123) of a line "1: POSIX  ADVISORY  READ 123 fd:01:456 1073741826 1073742335" about that inode.
// Returns 0 if the line is about another inode or this process, or if the kernel does not give the process.
pid_t holder_in(const std::string& line, const std::string& inode) {
  std::vector<std::string> words = text::split(line, ' ');
  std::erase(words, "");
  if (words.size() < 6 || words[5] != inode) return 0;
  pid_t pid = 0;
  std::from_chars(words[4].data(), words[4].data() + words[4].size(), pid);
  return pid == ::getpid() || pid < 0 ? 0 : pid;
}

}  // namespace

std::string describe_holders(const std::filesystem::path& file) {
  struct stat status{};
  const Result<std::string> locks = file::read("/proc/locks");
  if (::stat(file.c_str(), &status) != 0 || !locks) return "another program";
  const std::string inode = fmt::format("{:02x}:{:02x}:{}", major(status.st_dev), minor(status.st_dev), status.st_ino);
  std::set<pid_t> holders;
  for (const std::string& line : text::split(*locks, '\n')) {
    if (const pid_t pid = holder_in(line, inode); pid > 0) holders.insert(pid);
  }
  std::vector<std::string> names;
  for (const pid_t pid : holders) {
    const std::string name = file::read(fmt::format("/proc/{}/comm", pid)).value_or("a program");
    names.push_back(fmt::format("{} (process {})", text::to_utf8(text::trim(name)), pid));
  }
  return names.empty() ? "another program" : text::join(names, ", ");
}

}  // namespace ngb::store
