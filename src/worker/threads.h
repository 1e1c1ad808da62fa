// SPDX-License-Identifier: Apache-2.0
// How many threads did the work: those whose CPU time grew by more than 1 % of the wall time in between, or of all CPU
// time used in between where that is less (a process that others starve still has its working threads).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "samples/known.h"

namespace ngb::worker {

// CPU time in ns of each thread of this process, by its CPU-time clock. `complaint` says why when none is readable.
std::map<pid_t, std::int64_t> thread_cpu_times_ns(std::string& complaint);

class ThreadMeter {
 public:
  ThreadMeter() : before_(thread_cpu_times_ns(complaint_)) {}
  // Threads that ended in between are not seen.
  [[nodiscard]] samples::Known<int> busy_since(std::int64_t wall_ns) const;

 private:
  std::string complaint_;
  std::map<pid_t, std::int64_t> before_;
};

// The counting alone; a thread that `before` does not know began at 0.
int count_busy(const std::map<pid_t, std::int64_t>& before, const std::map<pid_t, std::int64_t>& after,
               std::int64_t wall_ns);

}  // namespace ngb::worker
