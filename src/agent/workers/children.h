// SPDX-License-Identifier: Apache-2.0
// Reaps the processes below this one that have ended, and ends the others.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace ngb::agent {

// There is one per process. It makes this process the parent of its orphaned descendants, so that none escapes.
class Children {
 public:
  // `end_all` waits at most `patience`.
  explicit Children(Nanoseconds patience = std::chrono::seconds(10));

  // Remembers how `pid`, a child of this process, ends.
  void watch(pid_t pid) { watched_.insert(pid); }
  // Forgets `pid`. Nobody asks for its end any longer.
  void forget(pid_t pid);
  // Reaps everything that has ended, without waiting.
  void reap();
  struct Ended {
    int wait_status = 0;
    std::uint64_t peak_rss_bytes = 0;  // highest resident memory of the process itself
  };
  // Returns how a watched child has ended, once; nothing if it has not ended.
  std::optional<Ended> take(pid_t pid);

  // Returns all living processes below this one except `spared`.
  [[nodiscard]] static std::vector<pid_t> living(const std::set<pid_t>& spared);
  // Sends SIGKILL to these processes until all have ended. Returns those that have not ended in time, because a process
  // may hang in the kernel. Nothing may be measured while they live. Later calls do not wait for them again.
  [[nodiscard]] std::vector<pid_t> end_all(const std::set<pid_t>& spared);

 private:
  Nanoseconds patience_;
  std::set<pid_t> given_up_{};
  std::set<pid_t> watched_{};
  std::map<pid_t, Ended> ended_{};
};

// Returns "process 12 (python3), process 13 (python3)", with the kernel's names.
std::string describe_processes(const std::vector<pid_t>& processes);

}  // namespace ngb::agent
