// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>

namespace ngb::process {
namespace {

constexpr std::size_t kMaxDescriptors = 16;

std::vector<std::string> merged_environment(const Spawn& spawn) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : spawn.environment) variables[name] = value;
  std::vector<std::string> merged;
  merged.reserve(variables.size());
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

// Between vfork and exec, in the parent's memory: async-signal-safe calls only, which change nothing there. On failure
// writes errno to `report` and ends.
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
  // First out of the way of every target number, to numbers that nothing has; then into place.
  constexpr int kAway = 200;
  std::array<int, kMaxDescriptors> away{};
  for (std::size_t i = 0; i < spawn.descriptors.size(); ++i) {
    away[i] = ::fcntl(spawn.descriptors[i].first, F_DUPFD, kAway);
    if (away[i] < 0) give_up();
  }
  const int report_away = ::fcntl(report, F_DUPFD_CLOEXEC, kAway);
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
  // fork would copy the page tables: milliseconds of a client that holds a large study.
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
    return tl::unexpected(file::from_errno("start", arguments[0], reason));
  }
  return pid;
}

Result<Outcome> run(const Spawn& request, const std::function<void(std::string_view)>& on_line) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(file::from_errno("start", request.arguments[0], errno));
  const FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  Spawn spawned = request;
  spawned.descriptors.emplace_back(write_end.get(), 1);
  spawned.descriptors.emplace_back(write_end.get(), 2);
  const Result<pid_t> pid = spawn(spawned);
  write_end.reset();
  if (!pid) return tl::unexpected(pid.error());
  constexpr std::size_t kKept = 1U << 20U;
  std::string output;
  std::string line;
  char chunk[4096];
  for (;;) {
    const ssize_t count = ::read(read_end.get(), chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    output.append(chunk, static_cast<std::size_t>(count));
    if (output.size() > 2 * kKept) output.erase(0, output.size() - kKept);
    if (!on_line) continue;
    for (ssize_t i = 0; i < count; ++i) {
      if (chunk[i] != '\n') {
        line += chunk[i];
        continue;
      }
      on_line(line);
      line.clear();
    }
  }
  if (on_line && !line.empty()) on_line(line);
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  Outcome outcome = decode(status);
  outcome.output = std::move(output);
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
