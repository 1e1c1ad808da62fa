// SPDX-License-Identifier: Apache-2.0
#include "agent/children.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "agent/process_tree.h"

namespace ngb::agent {

Children::Children() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void Children::reap() {
  int status = 0;
  rusage use{};
  for (pid_t pid = 0; (pid = ::wait4(-1, &status, WNOHANG, &use)) > 0;) {
    constexpr std::uint64_t kUnitBytes = 1024;
    if (watched_.erase(pid) > 0) ended_[pid] = {status, static_cast<std::uint64_t>(use.ru_maxrss) * kUnitBytes};
  }
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

bool Children::end_all(const std::set<pid_t>& spared) {
  const Nanoseconds give_up = system_clock().now() + std::chrono::seconds(10);
  std::chrono::milliseconds pause(1);
  for (;;) {
    reap();
    const std::vector<pid_t> left = living(spared);
    if (left.empty()) return true;
    if (system_clock().now() > give_up) return false;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(20));
  }
}

}  // namespace ngb::agent
