// SPDX-License-Identifier: Apache-2.0
// What passes while a process waits for its turn and prepares it, so that it counts in no number of its timed phase.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "probe/contention.h"
#include "worker/turns.h"

namespace ngb::worker {

class Pauses final : public TurnGiver {
 public:
  // `infer` runs an inference that no time and no count includes, and returns whether it succeeded.
  explicit Pauses(std::function<bool()> infer);

  // Begins to count; called right before the timed phase.
  void begin() { before_ = contention_.read(); }
  // Asks the agent for a turn and waits until it comes. Then runs inferences for some milliseconds, because
  // other processes have used the caches, until its threads do not wait for each other's processor any more: threads
  // that go on at the same moment may share one until the kernel has moved one of them.
  bool wait_for_turn() override;

  // Returns how long all pauses lasted, and the processor time that this process used in them.
  [[nodiscard]] std::int64_t wall_ns() const { return wall_ns_; }
  [[nodiscard]] std::int64_t cpu_ns() const { return cpu_ns_; }
  // Returns what kept the process from its processors in its turns (probe::waits_between).
  [[nodiscard]] std::vector<samples::Reading> waits() const;

 private:
  [[nodiscard]] bool prepare() const;

  std::function<bool()> infer_;
  probe::ContentionMeter contention_;
  probe::Counters before_{};  // of the beginning, as if the pauses had not been
  std::int64_t wall_ns_ = 0;
  std::int64_t cpu_ns_ = 0;
};

}  // namespace ngb::worker
