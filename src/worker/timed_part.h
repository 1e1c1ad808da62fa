// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ngraphbench/compiler.h"
#include "samples/process_result.h"
#include "work/job.h"
#include "worker/instances.h"
#include "worker/memory_marks.h"
#include "worker/phases.h"
#include "worker/prepared_session.h"
#include "worker/timed_loop.h"

namespace ngb::worker {

// The part of a process that is timed: the warm-up, the timed phase, and the phase alone of a process in turns.
class TimedPart {
 public:
  // All of the arguments outlive this object. `prepared` has run its first inference.
  TimedPart(const work::WorkerRequest& request, const Instance& instance, PreparedSession& prepared, Phases& phases);

  // Runs these phases and adds to the result what they showed, with the readings `idle` of the time before.
  void run(const std::vector<samples::Reading>& idle);
  // Goes on outside of what counts, to see whether the speed changes. Precondition: `run` has left no failure.
  void look_longer();
  // Makes and destroys further sessions if the study asks for them. Likewise.
  void make_further_sessions(const ngb_compiler& compiler);

 private:
  void run_timed_phase(const std::vector<samples::Reading>& idle);
  void begin_turns();
  // Tells those who watch the run why it takes so long; 0: it has ended.
  void tell_turns_again(std::size_t again) const;
  bool settle();
  bool time_together();
  Attempt<Done> serve();
  void repeat_alone();
  void watch_memory();
  [[nodiscard]] bool others_run_on() const;
  bool may_go_on_alone();
  void add_repetitions();
  [[nodiscard]] bool takes_turns() const { return request_.protocol.turns > 1; }
  void tell_agent(std::string_view signal) const;

  const work::WorkerRequest& request_;
  const Instance& instance_;
  PreparedSession& prepared_;
  Timing& timing_;
  Phases& phases_;
  samples::ProcessResult& result_;
  MemoryMarks marks_;
  bool is_alone_ = false;                               // it has had its last turn
  std::optional<TimedServer> server_{};                 // only with arrivals
  std::vector<std::vector<std::int64_t>> served_ns_{};  // latencies of the requests of each batch that it answered
};

}  // namespace ngb::worker
