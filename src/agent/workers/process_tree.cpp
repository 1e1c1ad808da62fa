// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "base/file.h"
#include "base/process.h"

namespace ngb::agent {
namespace {

// Returns the numbers among the names in a folder of /proc.
std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), &::closedir);
  if (!stream) return numbers;
  while (const dirent* entry = ::readdir(stream.get())) {  // NOLINT(concurrency-mt-unsafe): one thread
    const std::string_view name = entry->d_name;
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

struct Stat {
  char state = '?';
  pid_t parent = 0;
  long threads = 0;
  // A process whose first thread has ended while others run is reported as a zombie too.
  [[nodiscard]] bool is_alive() const { return (state != 'Z' && state != 'X') || threads > 1; }
};

// Reads fields 3, 4 and 20 of /proc/<of>/stat. The name in field 2 may contain any characters.
std::optional<Stat> stat_of(const std::string& of) {
  const Result<std::string> content = file::read(fmt::format("/proc/{}/stat", of));
  if (!content) return std::nullopt;
  const std::size_t name_end = content->rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  Stat stat;
  long skipped[15];
  const int count = std::sscanf(content->c_str() + name_end + 1,  // NOLINT(cert-err34-c): the kernel's own numbers
                                " %c %d %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld", &stat.state,
                                &stat.parent, &skipped[0], &skipped[1], &skipped[2], &skipped[3], &skipped[4],
                                &skipped[5], &skipped[6], &skipped[7], &skipped[8], &skipped[9], &skipped[10],
                                &skipped[11], &skipped[12], &skipped[13], &skipped[14], &stat.threads);
  if (count != 18) return std::nullopt;
  return stat;
}

// Reads /proc/<pid>/task/*/children if the kernel has it: the cost depends on this tree, not on the whole machine.
std::vector<pid_t> children_listed(pid_t pid) {
  std::vector<pid_t> children;
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  for (const pid_t task : numbers_in(tasks)) {
    const Result<std::string> content = file::read(fmt::format("{}/{}/children", tasks, task));
    if (!content) continue;
    const char* begin = content->data();
    const char* const end = begin + content->size();
    for (pid_t child = 0; begin < end;) {
      const auto [next, error] = std::from_chars(begin, end, child);
      if (error == std::errc{}) children.push_back(child);
      begin = next + 1;
    }
  }
  return children;
}

std::vector<pid_t> below_by_list(pid_t root) {
  std::vector<pid_t> found = children_listed(root);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const pid_t child : children_listed(found[i])) found.push_back(child);
  }
  return found;
}

std::vector<pid_t> below_by_parents(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : numbers_in("/proc")) {
    if (const std::optional<Stat> stat = stat_of(std::to_string(pid))) children.emplace(stat->parent, pid);
  }
  std::vector<pid_t> found{root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [begin, end] = children.equal_range(found[i]);
    for (auto child = begin; child != end; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

bool kernel_lists_children() {
  static const bool lists = ::access(fmt::format("/proc/self/task/{}/children", ::getpid()).c_str(), R_OK) == 0;
  return lists;
}

// Returns whether the states of all threads of the process (proc(5)) are among these. One that has ended has none.
bool are_threads(pid_t process, std::string_view states) {
  for (const pid_t task : numbers_in(fmt::format("/proc/{}/task", process))) {
    const std::optional<Stat> stat = stat_of(fmt::format("{}/task/{}", process, task));
    if (stat && states.find(stat->state) == std::string_view::npos) return false;
  }
  return true;
}

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> living;
  for (const pid_t pid : kernel_lists_children() ? below_by_list(root) : below_by_parents(root)) {
    const std::optional<Stat> stat = stat_of(std::to_string(pid));
    if (stat && stat->is_alive()) living.push_back(pid);
  }
  return living;
}

std::vector<pid_t> with_descendants(pid_t root) {
  std::vector<pid_t> all = descendants(root);
  all.push_back(root);
  return all;
}

std::uint64_t resident_bytes(const std::vector<pid_t>& processes) {
  static const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t bytes = 0;
  for (const pid_t pid : processes) {
    const Result<std::string> content = file::read(fmt::format("/proc/{}/statm", pid));
    const std::size_t second = content ? content->find(' ') : std::string::npos;
    if (second == std::string::npos) continue;  // it has ended meanwhile
    std::uint64_t pages = 0;
    std::from_chars(content->data() + second + 1, content->data() + content->size(), pages);
    bytes += pages * page_bytes;
  }
  return bytes;
}

namespace {

// Returns the processor time of the ended children that a process has waited for, with theirs: fields 16 and 17 of
// /proc/<pid>/stat.
std::int64_t ended_children_ns(pid_t pid) {
  const Result<std::string> content = file::read(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = content ? content->rfind(')') : std::string::npos;
  if (name_end == std::string::npos) return 0;
  long long user = 0;
  long long system = 0;
  const int count = std::sscanf(content->c_str() + name_end + 1,  // NOLINT(cert-err34-c): the kernel's own numbers
                                " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lld %lld", &user, &system);
  constexpr std::int64_t kSecond = 1'000'000'000;
  static const std::int64_t tick_ns = kSecond / ::sysconf(_SC_CLK_TCK);
  return count == 2 ? (user + system) * tick_ns : 0;
}

std::int64_t own_cpu_ns(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return time.tv_sec * kSecond + time.tv_nsec;
}

}  // namespace

std::int64_t cpu_ns_of(pid_t root) {
  std::int64_t sum = 0;
  for (const pid_t pid : with_descendants(root)) sum += own_cpu_ns(pid) + ended_children_ns(pid);
  return sum;
}

namespace {

// Returns the variables that a process was started with, each with its '\0'; an error for another user's process.
Result<std::string> environment_of(pid_t pid) {
  constexpr int kTries = 20;
  for (int tried = 1;; ++tried) {
    Result<std::string> variables = file::read(fmt::format("/proc/{}/environ", pid));
    // A program that is just starting has memory before it has variables.
    if (!variables || !variables->empty() || tried == kTries || resident_bytes({pid}) == 0) return variables;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

std::vector<pid_t> kill_leftovers(const std::filesystem::path& work_folder) {
  const std::string wanted = fmt::format("{}={}", kWorkFolderVariable, work_folder.string()) + '\0';
  std::vector<pid_t> killed;
  for (const pid_t pid : numbers_in("/proc")) {
    if (pid == ::getpid()) continue;
    // The handle is opened first, so that the process that is killed is the one that was checked.
    const std::optional<process::Handle> process = process::Handle::open(pid);
    if (!process) continue;
    const Result<std::string> variables = environment_of(pid);
    if (!variables) continue;  // another user's
    const std::size_t at = variables->find(wanted);
    if (at == std::string::npos || (at > 0 && (*variables)[at - 1] != '\0')) continue;
    if (process->signal(SIGKILL)) killed.push_back(pid);
  }
  return killed;
}

Status end_leftovers(const std::filesystem::path& work_folder, Nanoseconds patience) {
  const Nanoseconds give_up = system_clock().now() + patience;
  for (;;) {
    const std::vector<pid_t> left = kill_leftovers(work_folder);
    if (left.empty()) return Done{};
    if (system_clock().now() > give_up) {
      return fail(fmt::format("{} processes of an earlier run did not end after SIGKILL", left.size()),
                  work_folder.string(), "check the device's kernel log, or restart the device");
    }
    process::wait_for_end(process::end_of(left.front()), std::chrono::milliseconds(20));  // others may be left then
  }
}

void calm(pid_t root) {
  constexpr Nanoseconds kPatience = std::chrono::milliseconds(20);
  constexpr Nanoseconds kSpinning = std::chrono::milliseconds(5);
  constexpr Nanoseconds kNextLook = std::chrono::microseconds(20);
  const std::vector<pid_t> processes = with_descendants(root);
  const auto wait_until = [&](std::string_view states, Nanoseconds patience) {
    const Nanoseconds end = system_clock().now() + patience;
    for (const pid_t process : processes) {
      while (!are_threads(process, states)) {
        if (system_clock().now() >= end) return false;
        std::this_thread::sleep_for(kNextLook);
      }
    }
    return true;
  };
  if (wait_until("SDTtZX", kSpinning)) return;  // asleep, stopped or ended
  for (const pid_t process : processes) ::kill(process, SIGSTOP);
  (void)wait_until("TtZX", kPatience);
}

void resume_all(pid_t root) {
  for (const pid_t process : with_descendants(root)) ::kill(process, SIGCONT);
}

}  // namespace ngb::agent
