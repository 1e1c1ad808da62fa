// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "power_cut.h"

namespace ngb::power_loss {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPromise = "/nonexistent/promise: ";

struct Call {
  std::string_view name;
  bool syncs = false;
};

// The calls before which the power may go: those that make, change or remove names, and those that sync. A write by
// itself is none: how much of it survives is decided at the next of these.
const std::map<std::uint64_t, Call>& calls() {
  static const std::map<std::uint64_t, Call> all{
      {SYS_openat, {"open"}},         {SYS_mkdirat, {"mkdir"}},
      {SYS_unlinkat, {"unlink"}},     {SYS_symlinkat, {"symlink"}},
      {SYS_linkat, {"link"}},         {SYS_renameat2, {"rename"}},
      {SYS_ftruncate, {"ftruncate"}}, {SYS_truncate, {"truncate"}},
      {SYS_fsync, {"fsync", true}},   {SYS_fdatasync, {"fdatasync", true}},
      {SYS_syncfs, {"syncfs", true}}, {SYS_sync, {"sync", true}},
      {SYS_exit_group, {"exit"}},
#ifdef SYS_renameat
      {SYS_renameat, {"rename"}},
#endif
#ifdef SYS_open
      {SYS_open, {"open"}},           {SYS_creat, {"creat"}},
      {SYS_mkdir, {"mkdir"}},         {SYS_rmdir, {"rmdir"}},
      {SYS_unlink, {"unlink"}},       {SYS_symlink, {"symlink"}},
      {SYS_link, {"link"}},           {SYS_rename, {"rename"}},
#endif
  };
  return all;
}

bool only_opens(std::uint64_t number, const std::uint64_t* arguments) {
  const auto changes = [](std::uint64_t flags) { return (flags & (O_CREAT | O_TRUNC)) != 0; };
#ifdef SYS_open
  if (number == SYS_open) return !changes(arguments[1]);
#endif
  return number == SYS_openat && !changes(arguments[2]);
}

// Keeps every inode that it has seen in use, so that no number comes back for another file.
class Reader {
 public:
  explicit Reader(fs::path root) : root_(std::move(root)) {}

  std::uint64_t read(Objects& objects) { return read(root_, objects); }

 private:
  std::uint64_t read(const fs::path& path, Objects& objects) {
    FileDescriptor fd(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status{};
    if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) return 0;  // gone between two looks
    const std::uint64_t inode = status.st_ino;
    if (const auto known = held_.find(inode); known == held_.end()) held_.emplace(inode, std::move(fd));
    if (objects.contains(inode)) return inode;
    Object& object = objects[inode];
    object.mode = status.st_mode & 07777U;
    if (S_ISLNK(status.st_mode)) {
      object.kind = Object::Kind::link;
      object.content = std::make_shared<const std::string>(fs::read_symlink(path).string());
    } else if (S_ISREG(status.st_mode)) {
      object.content = content_of(path, status);
    } else if (S_ISDIR(status.st_mode)) {
      object.kind = Object::Kind::folder;
      std::map<std::string, std::uint64_t> names;
      std::error_code code;
      for (fs::directory_iterator entry(path, code), end; !code && entry != end; entry.increment(code)) {
        if (!entry->is_symlink() && !entry->is_regular_file() && !entry->is_directory()) continue;  // a socket
        if (const std::uint64_t child = read(entry->path(), objects); child != 0) {
          names[entry->path().filename().string()] = child;
        }
      }
      objects[inode].names = std::move(names);
    }
    return inode;
  }

  // The same object for a file that has not changed: an instant costs little.
  std::shared_ptr<const std::string> content_of(const fs::path& path, const struct stat& status) {
    std::ifstream stream(path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(stream), {}};
    std::shared_ptr<const std::string>& last = contents_[status.st_ino];
    if (!last || *last != content) last = std::make_shared<const std::string>(std::move(content));
    return last;
  }

  fs::path root_;
  std::map<std::uint64_t, FileDescriptor> held_{};
  std::map<std::uint64_t, std::shared_ptr<const std::string>> contents_{};
};

class Watcher {
 public:
  Watcher(const fs::path& folder, Watched& watched) : reader_(folder), watched_(watched) {
    watched_.root = reader_.read(on_disk_);
  }

  // Until the work's first process ends; others that it has started are then killed.
  void follow(pid_t work) {
    work_ = work;
    known_.insert(work);
    ::ptrace(PTRACE_SETOPTIONS, work, nullptr,
             PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                 PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
    go_on(work, 0);
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, __WALL);
      if (pid < 0 && errno == EINTR) continue;
      if (pid < 0) return;
      if (WIFSTOPPED(status)) {
        stopped(pid, status);
      } else if (pid == work_) {
        watched_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        for (const pid_t other : known_) {
          if (other != work_) ::kill(other, SIGKILL);
        }
      }
    }
  }

 private:
  static void go_on(pid_t pid, int signal) {
    ::ptrace(PTRACE_SYSCALL, pid, nullptr, reinterpret_cast<void*>(static_cast<std::uintptr_t>(signal)));
  }

  void stopped(pid_t pid, int status) {
    const int signal = WSTOPSIG(status);
    int passed_on = 0;
    if (signal == (SIGTRAP | 0x80)) {
      look(pid);
    } else if ((status >> 16) == 0) {
      const bool is_first_stop = known_.insert(pid).second && signal == SIGSTOP;
      if (!is_first_stop && signal != SIGTRAP) passed_on = signal;
    }
    go_on(pid, passed_on);
  }

  void look(pid_t pid) {
    __ptrace_syscall_info info{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, pid, reinterpret_cast<void*>(sizeof info), &info) <= 0) return;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
      entered_[pid] = info;
      enter(pid, info.entry.nr, info.entry.args);
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && info.exit.is_error == 0) {
      const __ptrace_syscall_info& begun = entered_[pid];
      const auto call = calls().find(begun.entry.nr);
      if (call != calls().end() && call->second.syncs) sync(pid, begun.entry.nr, begun.entry.args[0]);
    }
  }

  void enter(pid_t pid, std::uint64_t number, const std::uint64_t* arguments) {
    if (number == SYS_faccessat) {
      const std::string path = text_at(pid, arguments[1]);
      if (path.starts_with(kPromise)) promises_.insert(path.substr(kPromise.size()));
      return;
    }
    const auto call = calls().find(number);
    if (call == calls().end() || only_opens(number, arguments)) return;
    Instant instant{std::string(call->second.name), {}, on_disk_, promises_};
    reader_.read(instant.now);
    watched_.instants.push_back(std::move(instant));
  }

  void sync(pid_t pid, std::uint64_t number, std::uint64_t fd) {
    Objects now;
    reader_.read(now);
    if (number == SYS_sync || number == SYS_syncfs) {
      for (auto& [inode, object] : now) on_disk_[inode] = std::move(object);
      return;
    }
    struct stat status{};
    const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
    if (::stat(path.c_str(), &status) != 0) return;
    if (const auto object = now.find(status.st_ino); object != now.end()) on_disk_[status.st_ino] = object->second;
  }

  static std::string text_at(pid_t pid, std::uint64_t address) {
    std::array<char, 256> text{};
    const iovec here{text.data(), text.size() - 1};
    const iovec there{reinterpret_cast<void*>(address), text.size() - 1};  // NOLINT(performance-no-int-to-ptr)
    const ssize_t count = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
    return count > 0 ? std::string(text.data()) : std::string();
  }

  Reader reader_;
  Watched& watched_;
  pid_t work_ = 0;
  std::set<pid_t> known_{};
  std::map<pid_t, __ptrace_syscall_info> entered_{};
  Objects on_disk_{};
  std::set<std::string> promises_{};
};

[[noreturn]] void do_work(const std::function<void()>& work) {
  constexpr int kNotAllowed = 125;
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(kNotAllowed);
  ::raise(SIGSTOP);
  try {
    work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "the watched work: %s\n", error.what());
    ::_exit(1);
  }
  std::fflush(nullptr);
  ::_exit(0);
}

}  // namespace

void promise(const std::string& words) {
  ::syscall(SYS_faccessat, AT_FDCWD, (std::string(kPromise) + words).c_str(), F_OK);
}

Watched watch(const fs::path& folder, const std::function<void()>& work) {
  Watched watched;
  Watcher watcher(folder, watched);
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) do_work(work);
  int status = 0;
  if (pid < 0 || ::waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) {
    watched.why_not = "ptrace is not allowed here";
    return watched;
  }
  watcher.follow(pid);
  return watched;
}

}  // namespace ngb::power_loss
