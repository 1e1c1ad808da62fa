// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/text.h"

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

namespace {

constexpr std::size_t kMaxDescriptors = 16;

std::vector<std::string> merged_environment(const Spawn& spawn) {
  environment::Variables variables = environment::handed_on(spawn.inherits);
  for (const auto& [name, value] : spawn.environment) variables[name] = value;
  std::vector<std::string> merged;
  for (const auto& [name, value] : variables) merged.push_back(fmt::format("{}={}", name, value));
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Turns the child into the program. It runs between vfork and exec in the parent's memory, so it makes only
// async-signal-safe calls that change nothing there. On failure it writes errno to `report` and ends.
[[noreturn]] void become(const Spawn& spawn, char** arguments, char** variables, pid_t parent, int report) {
  const auto give_up = [&] {
    const int reason = errno;
    [[maybe_unused]] const ssize_t ignored = ::write(report, &reason, sizeof reason);
    ::_exit(127);
  };
  if (spawn.own_group && ::setpgid(0, 0) != 0) give_up();
  if (spawn.own_session && ::setsid() < 0) give_up();
  if (spawn.dies_with_parent) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up();
    if (::getppid() != parent) ::_exit(127);
  }
  // The descriptors are first copied to free numbers above all targets, then to their targets. The lowest free
  // numbers are used, because a shell's `ulimit -n` may allow few.
  int beyond_targets = 3;
  for (const auto& pair : spawn.descriptors)
    beyond_targets = pair.second >= beyond_targets ? pair.second + 1 : beyond_targets;
  std::array<int, kMaxDescriptors> away{};
  for (std::size_t i = 0; i < spawn.descriptors.size(); ++i) {
    away[i] = ::fcntl(spawn.descriptors[i].first, F_DUPFD, beyond_targets);
    if (away[i] < 0) give_up();
  }
  const int report_away = ::fcntl(report, F_DUPFD_CLOEXEC, beyond_targets);
  if (report_away < 0) give_up();
  report = report_away;
  for (std::size_t i = 0; i < spawn.descriptors.size(); ++i) {
    if (::dup2(away[i], spawn.descriptors[i].second) < 0) give_up();
    ::close(away[i]);
  }
  for (int fd = 3; fd < 1024; ++fd) {
    bool wanted = fd == report;
    for (const auto& pair : spawn.descriptors) wanted = wanted || pair.second == fd;
    if (!wanted) ::close(fd);
  }
  if (!spawn.folder.empty() && ::chdir(spawn.folder.c_str()) != 0) give_up();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::execvpe(arguments[0], arguments, variables);
  give_up();
  ::_exit(127);
}

}  // namespace

Result<pid_t> spawn(const Spawn& spawn) {
  if (spawn.descriptors.size() > kMaxDescriptors)
    return fail("too many descriptors for one program", spawn.arguments[0]);
  std::vector<std::string> arguments = spawn.arguments;
  std::vector<std::string> variables = merged_environment(spawn);
  const std::vector<char*> argument_pointers = pointers(arguments);
  const std::vector<char*> variable_pointers = pointers(variables);
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return tl::unexpected(file::from_errno("start", arguments[0], errno));
  FileDescriptor report_read(report[0]);
  FileDescriptor report_write(report[1]);
  const pid_t parent = ::getpid();
  // fork would copy the page tables, which costs a client with a large study milliseconds.
  const pid_t pid = ::vfork();  // NOLINT(bugprone-unsafe-functions): posix_spawn cannot do what `become` does
  if (pid < 0) return tl::unexpected(file::from_errno("start", arguments[0], errno));
  if (pid == 0) {
    become(spawn, const_cast<char**>(argument_pointers.data()), const_cast<char**>(variable_pointers.data()), parent,
           report_write.get());
  }
  report_write.reset();
  int reason = 0;
  ssize_t count = 0;
  do count = ::read(report_read.get(), &reason, sizeof reason);
  while (count < 0 && errno == EINTR);
  if (count == sizeof reason) {
    ::waitpid(pid, nullptr, 0);
    std::error_code code;
    if (reason == ENOENT && std::filesystem::exists(arguments[0], code)) {
      return fail(
          "cannot start: what runs it is missing, which is a script's interpreter, or for a program the loader of "
          "the GNU C library",
          arguments[0], "use a system, or an image, with glibc 2.34 or later", ErrorCode::not_found);
    }
    return tl::unexpected(file::from_errno("start", arguments[0], reason));
  }
  return pid;
}

namespace {

constexpr std::size_t kKeptBytes = 1U << 20U;

// Output collects what a program prints and hands over each line when it is complete.
class Output {
 public:
  explicit Output(const std::function<void(std::string_view)>& on_line) : on_line_(on_line) {}

  void add(std::string_view bytes) {
    kept_ += bytes;
    if (kept_.size() > 2 * kKeptBytes) kept_.erase(0, kept_.size() - kKeptBytes);
    if (!on_line_) return;
    for (const char each : bytes) {
      if (each == '\n') {
        on_line_(std::exchange(line_, {}));
      } else {
        line_ += each;
      }
    }
  }
  std::string end() {
    if (on_line_ && !line_.empty()) on_line_(line_);
    return std::move(kept_);
  }

 private:
  const std::function<void(std::string_view)>& on_line_;
  std::string kept_{};
  std::string line_{};
};

// Reads to the end of the stream. Returns false if the end did not come before `give_up`.
bool read_until(int fd, Nanoseconds give_up, Output& output) {
  char chunk[4096];
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(give_up - system_clock().now()).count();
    if (left <= 0) return false;
    pollfd source{fd, POLLIN, 0};
    constexpr std::int64_t kLongestWaitMs = 3'600'000;
    const int found = ::poll(&source, 1, static_cast<int>(std::min<std::int64_t>(left, kLongestWaitMs)));
    if (found == 0 || (found < 0 && errno == EINTR)) continue;
    const ssize_t count = ::read(fd, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    output.add({chunk, static_cast<std::size_t>(count)});
  }
}

// Returns the process's status, or nothing if it did not end before `give_up`.
std::optional<int> wait_until(pid_t pid, Nanoseconds give_up) {
  for (const FileDescriptor end = end_of(pid);;) {
    int status = 0;
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) return status;
    const Nanoseconds left = give_up - system_clock().now();
    if (left <= Nanoseconds(0)) return std::nullopt;
    wait_for_end(end, left);
  }
}

}  // namespace

Result<Outcome> run(const Spawn& request, const std::function<void(std::string_view)>& on_line,
                    Nanoseconds time_limit) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(file::from_errno("start", request.arguments[0], errno));
  const FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  Spawn spawned = request;
  spawned.descriptors.emplace_back(write_end.get(), 1);
  spawned.descriptors.emplace_back(write_end.get(), 2);
  const Nanoseconds give_up = system_clock().now() + time_limit;
  const Result<pid_t> pid = spawn(spawned);
  write_end.reset();
  if (!pid) return error_of(pid);
  Output output(on_line);
  const bool is_silent = read_until(read_end.get(), give_up, output);
  const std::optional<int> status = is_silent ? wait_until(*pid, give_up) : std::nullopt;
  if (!status) {
    // SIGKILL does not end a process that hangs in the kernel, so nobody waits for it any longer.
    ::kill(*pid, SIGKILL);
    (void)wait_until(*pid, system_clock().now() + std::chrono::seconds(1));
    const double seconds = std::chrono::duration<double>(time_limit).count();
    return fail(fmt::format("did not end within {} and was stopped", text::human_duration(seconds)),
                text::join(request.arguments, " ").substr(0, 200),
                "run the command by hand: it may wait for a network file system that does not answer");
  }
  Outcome outcome = decode(*status);
  outcome.output = output.end();
  return outcome;
}

Outcome decode(int wait_status) {
  Outcome outcome;
  if (WIFEXITED(wait_status)) outcome.exit_code = WEXITSTATUS(wait_status);
  if (WIFSIGNALED(wait_status)) outcome.signal = WTERMSIG(wait_status);
  return outcome;
}

std::string describe(int wait_status) {
  const Outcome outcome = decode(wait_status);
  if (outcome.signal) return fmt::format("signal {}", *outcome.signal);
  return fmt::format("exit code {}", outcome.exit_code.value_or(-1));
}

std::filesystem::path self() {
  std::error_code code;
  return std::filesystem::read_symlink("/proc/self/exe", code);
}

}  // namespace ngb::process
