// SPDX-License-Identifier: Apache-2.0
#include "agent/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/json_text.h"
#include "base/text.h"

namespace ngb::agent {
namespace {

constexpr std::uint64_t kMaxLockBytes = 4096;

std::string boot_id() {
  const Result<std::string> content = file::read("/proc/sys/kernel/random/boot_id", kMaxLockBytes);
  return content ? std::string(text::trim(*content)) : std::string();
}

std::optional<LockOwner> owner_in(const std::filesystem::path& path) {
  const Result<std::string> content = file::read(path, kMaxLockBytes);
  const nlohmann::json owner = json_text::parse(content.value_or(""));
  if (!owner.is_object() || !owner.contains("pid") || !owner["pid"].is_number_integer()) return std::nullopt;
  const auto text_of = [&owner](const char* key) {
    return owner.contains(key) && owner[key].is_string() ? owner[key].get<std::string>() : std::string();
  };
  return LockOwner{owner["pid"].get<pid_t>(), text_of("boot_id"), text_of("pid_namespace"), text_of("task")};
}

Status sign(int fd, const std::filesystem::path& path, const std::string& task) {
  const nlohmann::json owner = {{"pid", ::getpid()},
                                {"boot_id", boot_id()},
                                {"pid_namespace", process::pid_namespace()},
                                {"task", text::to_utf8(task)}};
  if (::ftruncate(fd, 0) != 0) return tl::unexpected(file::from_errno("lock", path, errno));
  return file::write_all(fd, json_text::dump(owner) + "\n", path.string());
}

// Returns whether `path` is still the file behind `fd`: its last holder may have removed it meanwhile.
bool names_this_file(const std::filesystem::path& path, int fd) {
  struct stat held{};
  struct stat named{};
  return ::fstat(fd, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

std::string holder_words(const std::filesystem::path& folder) {
  const std::optional<LockOwner> owner = lock_owner(folder);
  return owner ? owner->text() : "another process";
}

}  // namespace

std::string LockOwner::text() const {
  const std::string process = fmt::format("process {}", pid);
  if (boot_id != agent::boot_id()) return process + " on another machine";
  return is_here() ? process : process + " of another container";
}

bool LockOwner::is_here() const { return boot_id == agent::boot_id() && pid_namespace == process::pid_namespace(); }

Result<FileDescriptor> try_lock(const std::filesystem::path& folder, const std::string& task, const std::string& name) {
  const std::filesystem::path path = folder / name;
  for (;;) {
    FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd.is_open()) return tl::unexpected(file::from_errno("lock", path, errno));
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno == EWOULDBLOCK) return FileDescriptor();
      return tl::unexpected(file::from_errno("lock", path, errno));
    }
    if (!names_this_file(path, fd.get())) continue;
    if (!is_lock_file(path)) {
      return fail("is not NGraphBench's file, but has the name of its lock", path.string(),
                  "move it away, or choose another folder");
    }
    if (const Status signed_ = sign(fd.get(), path, task); !signed_) return error_of(signed_);
    return fd;
  }
}

Result<FileDescriptor> lock_folder(const std::filesystem::path& folder, Nanoseconds patience, const std::string& task,
                                   const std::string& advice) {
  constexpr std::chrono::milliseconds kPause(50);
  for (Nanoseconds waited{0};; waited += kPause) {
    Result<FileDescriptor> lock = try_lock(folder, task);
    if (!lock || lock->is_open()) return lock;
    if (waited >= patience) return fail("in use by " + holder_words(folder), folder.string(), advice);
    std::this_thread::sleep_for(kPause);
  }
}

bool is_locked(const std::filesystem::path& folder, const std::string& name) {
  const FileDescriptor fd(::open((folder / name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return fd.is_open() && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

std::optional<LockOwner> lock_owner(const std::filesystem::path& folder) { return owner_in(folder / "lock"); }

bool is_lock_file(const std::filesystem::path& path) {
  const Result<std::string> content = file::read(path, kMaxLockBytes);
  if (!content) return false;
  // A power failure may leave the beginning of what sign() wrote, zeros, or both.
  constexpr std::string_view kBegin = R"({"boot_id":")";
  const std::string_view text = std::string_view(*content).substr(0, content->find('\0'));
  return text.starts_with(kBegin) || kBegin.starts_with(text) || owner_in(path);
}

Result<process::Handle> lock_holder(const std::filesystem::path& folder, std::optional<pid_t> pid) {
  constexpr const char* kAdvice = "end it on that machine, then run the same command again";
  const std::optional<LockOwner> owner = lock_owner(folder);
  if (!owner || (!owner->is_here() && !pid)) {
    return fail(fmt::format("in use by {}, which cannot be ended from here", holder_words(folder)), folder.string(),
                kAdvice);
  }
  // The handle is opened first: afterwards the pid cannot be reused for another process.
  std::optional<process::Handle> handle = process::Handle::open(pid.value_or(owner->pid));
  if (!handle || !process::has_open(handle->pid(), folder / "lock")) {
    return fail(
        fmt::format("in use, but not by process {}, which the lock names; that process was not ended", owner->pid),
        folder.string(), "find the process that has the file `lock` there open (fuser, lsof) and end it");
  }
  return *std::move(handle);
}

}  // namespace ngb::agent
