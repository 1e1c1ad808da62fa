// SPDX-License-Identifier: Apache-2.0
// The limits of a worker: time, and memory of all its processes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "samples/failure.h"
#include "work/job.h"

namespace ngb::agent {

// The two time limits of a worker: one from start to check, one for warm-up and the timed phase. The second begins when
// `look` first sees the worker in warm-up. Uses only the times that it is given and reads no clock.
class Deadlines {
 public:
  Deadlines(const work::Timeouts& timeouts, Nanoseconds started);

  // Returns a failure if the limit of a worker that is in `phase` at `now` is exceeded.
  std::optional<samples::Failure> look(Nanoseconds now, samples::Phase phase);
  // Extends the limits by a time in which the worker could not run.
  void extend(Nanoseconds time) { deadline_ += time; }
  // Returns the earliest time at which `look` can return a failure.
  [[nodiscard]] Nanoseconds next() const { return deadline_; }

 private:
  Nanoseconds run_timeout_;
  Nanoseconds allowed_;
  Nanoseconds deadline_;
  bool is_running_ = false;
};

// Returns a failure if a tree of processes that holds `resident_bytes` together exceeds the limit.
std::optional<samples::Failure> look_at_memory(std::uint64_t resident_bytes, std::uint64_t limit_bytes,
                                               samples::Phase phase);

// Limits the private writable memory (RLIMIT_DATA) of a process and of those that it starts, so that it sees a failed
// allocation before the check once a second ends it. Has no effect in a build with sanitizers, which reserve more
// memory than any machine has.
void limit_data(pid_t pid, std::uint64_t limit_bytes);

// Returns an error if no further process may begin, because the device's time is over or the disk of `folder` is too
// full. `taken`: since the agent received the job.
Status may_begin(const work::DeviceLimits& limits, Nanoseconds taken, const std::filesystem::path& folder);

// Returns whether the disk of `folder` has no room for the files of one more process, so that whatever fails there may
// have failed for that reason.
bool is_disk_full(const std::filesystem::path& folder);

// Returns how many processes the kernel has killed since boot because of memory; nothing if it does not report that.
std::optional<std::uint64_t> kernel_memory_kills();

}  // namespace ngb::agent
