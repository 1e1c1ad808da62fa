// SPDX-License-Identifier: Apache-2.0
// Watches from outside what else a machine does while a worker is timed. The worker itself measures the whole timed
// phase (probe/contention.h). This class says when something happened, and which programs it was.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "probe/contention.h"
#include "probe/programs.h"
#include "samples/process_result.h"

namespace ngb::agent {

class Watch {
 public:
  // Remembers which programs run. `cpus`: the processors of the worker. Tests pass as `root` a folder with their own
  // proc and sys files in place of "/".
  explicit Watch(std::vector<int> cpus, const std::string& root = "/");

  // Takes readings while the worker is in its timed phase, or alone; called once a second. The later ones of a long
  // phase are further apart, so that their number stays below a thousand. `workers`: the worker, or its instances.
  void look(const std::vector<pid_t>& workers, samples::Phase phase, Nanoseconds now);

  // Reads the memory of the workers, which have run so many inferences by now; called once a second, and later of a
  // long process less often. Nothing happens before the first inference, or if there was none since the last mark.
  void mark(const std::vector<pid_t>& workers, std::uint64_t inferences, Nanoseconds now);

  // Returns the readings so far ("during" and "mark", each with its monotonic time). A quantity that is unknown has one
  // reading.
  [[nodiscard]] const std::vector<samples::Reading>& readings() const { return readings_; }
  // Returns the three programs outside of `own` that have used processors the most since the construction.
  [[nodiscard]] std::vector<samples::Neighbour> neighbours(const std::set<pid_t>& own) const;

 private:
  // Says of which of the looks, one a second, readings are taken: the time between them doubles again and again.
  class Pace {
   public:
    bool is_skipped();
    void count();

   private:
    int looks_ = 0;          // that took readings
    int looks_to_skip_ = 0;  // before the next one that does
  };
  void add(samples::Reading reading, Nanoseconds now);

  std::vector<int> cpus_;
  std::string root_;
  std::map<pid_t, probe::Program> programs_;
  std::optional<probe::ContentionMeter> meter_{};  // since the timed phase was first seen
  std::optional<probe::Counters> last_{};
  std::set<std::string> unknown_{};  // quantities with a reading that says why they are unknown
  std::vector<samples::Reading> readings_{};
  Pace pace_{};
  Pace pace_of_marks_{};
  std::uint64_t marked_inferences_ = 0;
};

}  // namespace ngb::agent
