// SPDX-License-Identifier: Apache-2.0
// Measures a phase: wall time, CPU time of the worker and its descendants, the worker's peak memory and page faults.
#pragma once

#include <cstdint>
#include <string>

#include "samples/process_result.h"
#include "samples/progress_page.h"

namespace ngb::worker {

// Returns the user and system time of this process, of its descendants that ended and were waited for (getrusage), and
// of those alive (/proc, in clock ticks of 10 ms).
Known<std::int64_t> cpu_time_of_tree_ns();

// Resets VmHWM to the present size through <proc>/self/clear_refs. Returns false if the kernel refuses.
bool reset_peak_memory(const std::string& proc = "/proc");
// Returns VmHWM of <proc>/self/status.
Known<std::uint64_t> peak_memory_bytes(const std::string& proc = "/proc");

// PhaseMeter measures one phase, from its construction to end(). It announces the phase on the page.
class PhaseMeter {
 public:
  PhaseMeter(samples::Phase phase, samples::ProgressPage* page);
  [[nodiscard]] samples::PhaseUse end() const;

 private:
  samples::Phase phase_;
  bool peak_is_reset_;
  Known<std::int64_t> cpu_ns_;
  std::int64_t begin_ns_;
};

// Returns how many inferences the processor time of a phase belongs to: the reading `inferences`.
samples::Reading inferences_in(samples::Phase phase, std::uint64_t count);

// Returns how many pages the kernel has given this process without reading them from a disk (getrusage: ru_minflt).
Known<std::int64_t> page_faults();

// PageFaultMeter counts, from its construction to reading(), the pages per second that the kernel gave this process
// (page_faults). A rate that stays high means that the allocator returns
// memory and requests it again.
class PageFaultMeter {
 public:
  PageFaultMeter();
  // `paused_ns`: time since then that does not count, as the `paused_faults` in it do not.
  [[nodiscard]] samples::Reading reading(std::int64_t paused_ns = 0, std::int64_t paused_faults = 0) const;

 private:
  Known<std::int64_t> count_;
  std::int64_t begin_ns_;
};

}  // namespace ngb::worker
