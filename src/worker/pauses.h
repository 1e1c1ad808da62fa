// SPDX-License-Identifier: Apache-2.0
// What passes while a process waits for its turn and prepares it, and in turns that were disturbed, so that it counts
// in no number of its timed phase.
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
  // `max_wait_ratio`: as work::Disturbance::max_wait_ratio, of a turn.
  Pauses(std::function<bool()> infer, double max_wait_ratio);

  // Begins to count; called right before the timed phase.
  void begin() { before_ = contention_.read(); }
  // Asks the agent for a turn and waits until it comes. Then runs inferences for some milliseconds, because
  // other processes have used the caches, until its threads do not wait for each other's processor any more: threads
  // that go on at the same moment may share one until the kernel has moved one of them.
  bool wait_for_turn() override;
  bool was_disturbed() override;

  // Returns how long all pauses lasted.
  [[nodiscard]] std::int64_t wall_ns() const { return wall_ns_; }
  // Takes all pauses out of the use of the timed phase, which contains them.
  void leave_out_of(samples::PhaseUse& timed) const;
  // Returns what kept the process from its processors in its turns: the readings "timed" of probe::waits_between.
  [[nodiscard]] std::vector<samples::Reading> waits() const;

 private:
  // A moment, and the processor time that this process has used until then, without its children.
  struct Mark {
    probe::Counters counters{};
    std::int64_t cpu_ns = 0;
  };
  [[nodiscard]] Mark mark() const;
  void leave_out(const Mark& begin, const Mark& end);
  [[nodiscard]] bool prepare() const;

  std::function<bool()> infer_;
  double max_wait_ratio_;
  probe::ContentionMeter contention_;
  probe::Counters before_{};  // of the beginning, as if the pauses had not been
  Mark turn_{};               // when the turn began, or was_disturbed was asked
  std::int64_t wall_ns_ = 0;
  std::int64_t cpu_ns_ = 0;
};

}  // namespace ngb::worker
