// SPDX-License-Identifier: Apache-2.0
// How long a worker may take and how much memory its processes may hold.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "samples/failure.h"
#include "samples/job.h"

namespace ngb::agent {

// The two time limits of a worker: start to check, and warm-up with the timed phase. The second begins when a look
// first finds the worker there. Decides by the times it is given; reads no clock.
class Deadlines {
 public:
  Deadlines(const samples::Protocol& protocol, Nanoseconds started);

  // What is over, if anything, for a worker that is in `phase` at `now`.
  std::optional<samples::Failure> look(Nanoseconds now, samples::Phase phase);
  // When the next look can find something over.
  [[nodiscard]] Nanoseconds next() const { return deadline_; }

 private:
  Nanoseconds run_timeout_;
  Nanoseconds allowed_;
  Nanoseconds deadline_;
  bool is_running_ = false;
};

// A tree of processes that holds `resident_bytes` together.
std::optional<samples::Failure> look_at_memory(std::uint64_t resident_bytes, std::uint64_t limit_bytes,
                                               samples::Phase phase);

// Gives a process (and what it starts) no more than `limit_bytes` of private writable memory (RLIMIT_DATA), so that it
// meets the limit as a failed allocation, before the once-a-second look would find it over. Without effect in a build
// with sanitizers, whose bookkeeping reserves more than any machine has.
void limit_data(pid_t pid, std::uint64_t limit_bytes);

// Whether a further process may be begun, `taken` after the agent has taken the job. Error: the device's time is over,
// or the disk of `folder` too full.
Status may_begin(const samples::Limits& limits, Nanoseconds taken, const std::filesystem::path& folder);

// How often the kernel has killed for want of memory since boot; nothing where it does not tell.
std::optional<std::uint64_t> kernel_memory_kills();

}  // namespace ngb::agent
