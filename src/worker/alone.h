// SPDX-License-Identifier: Apache-2.0
// The phase `alone` of a process whose timed phase was one of turns: it repeats what it did while no other process has
// a turn, and reads what only the whole machine counts. What it runs counts in no speed.
#pragma once

#include <optional>
#include <vector>

#include "probe/probe.h"
#include "samples/process_result.h"
#include "worker/repetitions.h"

namespace ngb::worker {

// Makes the readings over a timed phase of turns unknown: they include what the other processes did in theirs.
void forget_machine(std::vector<samples::Reading>& readings);

class Alone {
 public:
  // Runs as many repetitions as count among those of the timed phase. Returns false if an inference failed.
  bool repeat(const std::vector<samples::Repetition>& timed, Repeater& repeater);
  // Adds what the machine did since the construction, and `alone_inference`, the median time of an inference.
  void add_to(std::vector<samples::Reading>& readings) const;

 private:
  probe::Snapshot before_ = probe::snapshot();
  std::optional<double> inference_s_{};
};

}  // namespace ngb::worker
