// SPDX-License-Identifier: Apache-2.0
// Pins a worker's threads to its processors, and counts the threads that did the work: those whose CPU time grew by
// more than 1 % of the wall time or, if that is less, of all CPU time used meanwhile (the threads of a process that
// others starve still count).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "work/compiler.h"

namespace ngb::worker {

// Returns the CPU time in ns of each thread of this process. If none can be read, `complaint` receives the reason.
std::map<pid_t, std::int64_t> thread_cpu_times_ns(std::string& complaint);

class ThreadMeter {
 public:
  ThreadMeter() : before_(thread_cpu_times_ns(complaint_)) {}
  // Returns the number of busy threads since the construction, `wall_ns` ago. Threads that ended meanwhile are not
  // counted.
  [[nodiscard]] Known<int> busy_since(std::int64_t wall_ns) const;

 private:
  std::string complaint_;
  std::map<pid_t, std::int64_t> before_;
};

// Counts the busy threads from two readings. A thread that is missing in `before` began at 0.
int count_busy(const std::map<pid_t, std::int64_t>& before, const std::map<pid_t, std::int64_t>& after,
               std::int64_t wall_ns);

// Gives every compiler equal conditions: the same processors, pinned before its library is opened.

// Pins the calling thread, and thereby all threads that it starts from now on, and sets from which nodes they take
// memory if the study says it. Of several instances, each gets as many processors of its own. Processors that the study
// chooses are those that the agent has left this process. Returns the processors read back afterwards, as text for the
// facts: "2-3".
Result<std::string> pin_to_cpus(const work::Compiler& compiler, int instance = 0);

// Returns an error if the threads of all instances are more than the processors that this process may use.
std::optional<Error> too_few_processors(const work::Compiler& compiler, std::size_t processors);

}  // namespace ngb::worker
