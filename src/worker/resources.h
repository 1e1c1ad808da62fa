// SPDX-License-Identifier: Apache-2.0
// What a phase costs: wall time, CPU time of the worker and all its descendants, the worker's peak memory and page
// faults.
#pragma once

#include <cstdint>
#include <string>

#include "samples/process_result.h"
#include "samples/progress_page.h"

namespace ngb::worker {

// User and system time of this process, of its descendants that have ended and been waited for (getrusage), and of
// those alive (/proc, in clock ticks of 10 ms).
samples::Known<std::int64_t> cpu_time_of_tree_ns();

// Writes "5" to <proc>/self/clear_refs: VmHWM restarts at the present size. False where the kernel refuses.
bool reset_peak_memory(const std::string& proc = "/proc");
// VmHWM of <proc>/self/status.
samples::Known<std::uint64_t> peak_memory_bytes(const std::string& proc = "/proc");

// From construction to end(): one phase. Announces the phase on the page.
class PhaseMeter {
 public:
  PhaseMeter(samples::Phase phase, samples::ProgressPage* page);
  [[nodiscard]] samples::PhaseUse end() const;

 private:
  samples::Phase phase_;
  bool peak_is_reset_;
  samples::Known<std::int64_t> cpu_ns_;
  std::int64_t begin_ns_;
};

// From construction to reading(): pages for each second that the kernel had to give this process without reading them
// from a disk (getrusage: ru_minflt). Where that goes on, the allocator gives memory back and takes it anew.
class PageFaultMeter {
 public:
  PageFaultMeter();
  [[nodiscard]] samples::Reading reading() const;

 private:
  samples::Known<std::int64_t> count_;
  std::int64_t begin_ns_;
};

}  // namespace ngb::worker
