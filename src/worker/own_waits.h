// SPDX-License-Identifier: Apache-2.0
// Decides for each turn that waited for a processor whether the compiler's own threads kept it from each other, or
// other programs did. Such a turn counts in the first case, because that is how the compiler runs; in the second it is
// run again.
#pragma once

#include <optional>

#include "probe/contention.h"

namespace ngb::worker {

class OwnWaits {
 public:
  // `max_wait_ratio`: as work::Disturbance::max_wait_ratio, of a turn.
  explicit OwnWaits(double max_wait_ratio) : max_wait_ratio_(max_wait_ratio) {}

  // Returns the share of the turn, in percent, in which a thread waited for another one of the process; nothing if
  // other programs caused the wait, or may have. `woke`: before any thread of the process ran again; `begin` and `end`:
  // of the turn, which waited for longer than is allowed.
  // - It is certain where the process's threads left less of the processors' time than half the wait: other programs
  //   cannot have used more. So it is where more threads than processors are busy.
  // - Else the time decides that other programs used in turns that waited, together, once they make up 200 ms (less is
  //   unknown: probe::waits_between): less than half of the wait is the process's own (samples::own_wait_percent). The
  //   answer is good for the turns that follow, until they make up 200 ms as well.
  std::optional<double> of_turn(const probe::Counters& woke, const probe::Counters& begin, const probe::Counters& end);

 private:
  double max_wait_ratio_;
  std::optional<probe::Counters>
      together_{};  // of the turns since the last answer, as if nothing had been between them
  probe::Counters last_end_{};
  std::optional<double> answer_{};
};

}  // namespace ngb::worker
