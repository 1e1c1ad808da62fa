// SPDX-License-Identifier: Apache-2.0
// Measures what kept a process from its processors: its threads' wait in the kernel's run queues, processors that the
// host gave to others, and the limit of its control group. The kernel counts all of it from the start of a thread, of
// the machine and of the group, so that two readings cover everything between them, however short that is.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "probe/tree.h"
#include "samples/process_result.h"

namespace ngb::probe {

struct ThreadTime {
  std::uint64_t ran_ns = 0;     // on a processor
  std::uint64_t waited_ns = 0;  // ready to run, but in a run queue
};

struct Counters {
  Known<std::map<pid_t, ThreadTime>> threads{};  // of the process; those that have ended are not listed any more
  Known<Ticks> ticks{};                          // of its processors together
  Known<std::uint64_t> throttled_ns{};           // of its control group, or of a group above it if that is more
  std::size_t cpus = 0;                          // number of its processors
  std::int64_t taken_ns = 0;                     // on the monotonic clock
};

class ContentionMeter {
 public:
  // `process` is a number or "self". `cpus` are its processors. The control group is that of this program. Tests pass
  // as `root` a folder with their own proc and sys files in place of "/".
  ContentionMeter(const std::string& process, std::vector<int> cpus, const std::string& root = "/");
  // The same for several processes, which count as one.
  ContentionMeter(const std::vector<pid_t>& processes, std::vector<int> cpus, const std::string& root = "/");

  // Reads all counters. Costs some ten microseconds, and a few more for each thread of the process.
  [[nodiscard]] Counters read() const;

 private:
  [[nodiscard]] Known<std::map<pid_t, ThreadTime>> read_threads() const;
  [[nodiscard]] Known<Ticks> read_ticks() const;

  Tree tree_;
  std::vector<std::string> tasks_;  // /proc/PROCESS/task
  std::vector<int> cpus_;
  Known<std::vector<std::string>> throttle_files_;
};

// Returns the shares of the time between two readings of one meter, in percent, with `when` left empty:
//   run_queue_wait  the longest wait of a thread in a run queue, among the threads that did the work (their time on
//                   processors grew by more than 1 % of the elapsed time, or of all such time if that is less)
//   core_steal      of the processors' time, the part that the host gave to others
//   throttled       of the processors' time, the part in which the control group had used up its quota
//   other_cpu       of the processors' time, the part that other programs used
// The last three are unknown if less than 200 ms have passed, because a tick of the kernel's clock (10 ms) would be
// more than 5 % of that.
std::vector<samples::Reading> waits_between(const Counters& before, const Counters& after);

// Returns the time of its processors between two readings that its threads did not use: other programs used no more.
// Nothing if the threads' times are unknown.
std::optional<double> left_ns(const Counters& before, const Counters& after);

// Returns `before` as if nothing had passed between two later readings, in which the process did not work.
Counters without(Counters before, const Counters& pause_begin, const Counters& pause_end);

}  // namespace ngb::probe
