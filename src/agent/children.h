// SPDX-License-Identifier: Apache-2.0
// Reaps what has ended below this process, and ends what has not.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace ngb::agent {

// One per process; makes this process the parent of its orphaned descendants, so that none gets away.
class Children {
 public:
  Children();

  // From now on `pid`, a child of ours, is remembered when it ends.
  void watch(pid_t pid) { watched_.insert(pid); }
  // Collects everything that has ended; never waits.
  void reap();
  struct Ended {
    int wait_status = 0;
    std::uint64_t peak_rss_bytes = 0;  // the highest that it, alone, ever had resident
  };
  // How a watched child has ended; once.
  std::optional<Ended> take(pid_t pid);

  // Everything that lives below us, but for `spared`.
  [[nodiscard]] static std::vector<pid_t> living(const std::set<pid_t>& spared);
  // SIGKILL to all of that, until nothing is left. Waits for it, but not longer than 10 s (a process may hang in the
  // kernel): false then.
  bool end_all(const std::set<pid_t>& spared);

 private:
  std::set<pid_t> watched_{};
  std::map<pid_t, Ended> ended_{};
};

}  // namespace ngb::agent
