// SPDX-License-Identifier: Apache-2.0
#include "worker/pauses.h"

#include <utility>

#include "probe/probe.h"
#include "worker/tell_agent.h"

namespace ngb::worker {

Pauses::Pauses(std::function<bool()> infer)
    : infer_(std::move(infer)), contention_("self", probe::allowed_cpus()), before_(contention_.read()) {}

// If the agent does not answer, it has ended or ends this process.
bool Pauses::wait_for_turn() {
  const probe::Counters begin = contention_.read();
  (void)signal_and_wait(samples::kWantsTurn);
  const probe::Counters end = contention_.read();
  total_ns_ += end.taken_ns - begin.taken_ns;
  before_ = probe::without(before_, begin, end);
  return infer_();
}

std::vector<samples::Reading> Pauses::waits() const { return probe::waits_between(before_, contention_.read()); }

}  // namespace ngb::worker
