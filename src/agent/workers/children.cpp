// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/children.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "agent/workers/process_tree.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

namespace ngb::agent {

Children::Children(Nanoseconds patience) : patience_(patience) { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void Children::reap() {
  int status = 0;
  rusage use{};
  for (pid_t pid = 0; (pid = ::wait4(-1, &status, WNOHANG, &use)) > 0;) {
    constexpr std::uint64_t kUnitBytes = 1024;
    if (watched_.erase(pid) > 0) ended_[pid] = {status, static_cast<std::uint64_t>(use.ru_maxrss) * kUnitBytes};
  }
}

void Children::forget(pid_t pid) {
  watched_.erase(pid);
  ended_.erase(pid);
}

std::optional<Children::Ended> Children::take(pid_t pid) {
  const auto ended = ended_.find(pid);
  if (ended == ended_.end()) return std::nullopt;
  const Ended how = ended->second;
  ended_.erase(ended);
  return how;
}

std::vector<pid_t> Children::living(const std::set<pid_t>& spared) {
  std::vector<pid_t> found = descendants(::getpid());
  std::erase_if(found, [&](pid_t pid) { return spared.contains(pid); });
  return found;
}

std::vector<pid_t> Children::end_all(const std::set<pid_t>& spared) {
  // While one process hangs, others may start more.
  constexpr std::chrono::milliseconds kCheckAgain(20);
  const Nanoseconds give_up = system_clock().now() + patience_;
  for (;;) {
    reap();
    std::vector<pid_t> left = living(spared);
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    const auto hoped_for =
        std::find_if(left.begin(), left.end(), [this](pid_t pid) { return !given_up_.contains(pid); });
    if (hoped_for == left.end() || system_clock().now() > give_up) {
      given_up_.insert(left.begin(), left.end());
      return left;
    }
    process::wait_for_end(process::end_of(*hoped_for), kCheckAgain);
  }
}

std::string describe_processes(const std::vector<pid_t>& processes) {
  std::vector<std::string> names;
  for (const pid_t pid : processes) {
    const std::string name = file::read(fmt::format("/proc/{}/comm", pid)).value_or("?");
    names.push_back(fmt::format("process {} ({})", pid, text::to_utf8(text::trim(name))));
  }
  return text::join(names, ", ");
}

}  // namespace ngb::agent
