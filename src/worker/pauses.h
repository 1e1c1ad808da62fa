// SPDX-License-Identifier: Apache-2.0
// What passes while a process waits for its turn and prepares it, and in turns that were disturbed, so that it counts
// in no number of its timed phase.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "probe/contention.h"
#include "probe/probe.h"
#include "samples/process_result.h"
#include "samples/worker_signal.h"
#include "worker/own_waits.h"
#include "worker/repetitions.h"
#include "worker/turns.h"

namespace ngb::worker {

class Pauses final : public TurnGiver {
 public:
  // `infer` runs an inference that no time and no count includes, and returns whether it succeeded.
  // `threads`: of the compiler. `max_wait_ratio`: as work::Disturbance::max_wait_ratio, of a turn.
  Pauses(std::function<bool()> infer, int threads, double max_wait_ratio);

  // Begins to count; called right before the timed phase.
  void begin() { before_ = contention_.read(); }
  // Runs inferences for some milliseconds, at least 10 of several threads, until its threads do not wait for each
  // other's processor any more: threads that go on at the same moment may share one until the kernel has moved one of
  // them. Returns whether they succeeded.
  bool settle();
  // Asks the agent for a turn and waits until it comes. Then settles, because other processes have used the caches.
  bool wait_for_turn() override;
  // Returns whether other programs kept it from its processors since its turn began or since this was last asked. What
  // its own threads keep from each other is no disturbance (OwnWaits).
  bool was_disturbed() override;
  // Notes the fact samples::kWaitsForItself if the process of these readings waited for longer than is allowed, and
  // either did so by itself in turns that count, or waits as long again when it is looked at for half a second, in
  // which no other program uses its processors.
  void explain_waits(samples::ProcessResult& result);

  // Returns how long all pauses lasted.
  [[nodiscard]] std::int64_t wall_ns() const { return wall_ns_; }
  // Returns the page faults of this process in all pauses.
  [[nodiscard]] std::int64_t page_faults() const { return page_faults_; }
  // Takes all pauses out of the use of the timed phase, which contains them.
  void leave_out_of(samples::PhaseUse& timed) const;
  // Returns what kept the process from its processors in its turns: the readings "timed" of probe::waits_between.
  [[nodiscard]] std::vector<samples::Reading> waits() const;

 private:
  // A moment, and the processor time and page faults that this process has had until then, without its children.
  struct Mark {
    probe::Counters counters{};
    std::int64_t cpu_ns = 0;
    std::int64_t page_faults = 0;
  };
  [[nodiscard]] Mark mark() const;
  [[nodiscard]] bool infer_until_calm() const;
  // Repeats inferences for half a second, and returns samples::own_wait_percent of it.
  [[nodiscard]] std::optional<double> look_for_own_wait() const;
  void leave_out(const Mark& begin, const Mark& end);

  std::function<bool()> infer_;
  Nanoseconds least_settling_;
  double max_wait_ratio_;
  probe::ContentionMeter contention_;
  probe::Counters before_{};  // of the beginning, as if the pauses had not been
  probe::Counters woke_{};    // when the turn came, before any thread went on
  Mark turn_{};               // when the turn began, or was_disturbed was asked
  OwnWaits own_waits_;
  std::optional<double> own_wait_percent_{};  // of the last turn that counts although it waited
  std::int64_t wall_ns_ = 0;
  std::int64_t cpu_ns_ = 0;
  std::int64_t page_faults_ = 0;
};

// Keeps a worker in step with what its agent runs beside it: a load, or the processes with which it takes turns.

// Sends one of the signals of samples/worker_signal.h on kResultFd, and waits for the agent's answer on kRequestFd.
// Returns an error if the agent has ended.
Status signal_and_wait(std::string_view signal);

// The phase `alone` follows a timed phase in turns. The process repeats its inferences while no other process has a
// turn, and reads quantities that are counted for the whole machine only. These inferences count in no speed.

// Makes the readings over a timed phase of turns unknown, because they include the turns of other processes.
void forget_machine(std::vector<samples::Reading>& readings);

class Alone {
 public:
  // Runs as many repetitions as count among those of the timed phase. Returns false if an inference failed.
  bool repeat(const std::vector<samples::Repetition>& timed, Repeater& repeater);
  // Adds what the machine did since the construction, and `alone_inference`, the median time of an inference.
  void add_to(std::vector<samples::Reading>& readings) const;

 private:
  probe::Snapshot before_ = probe::snapshot();
  std::uint64_t inferences_ = 0;
  std::optional<double> inference_s_{};
};

}  // namespace ngb::worker
