// SPDX-License-Identifier: Apache-2.0
// What a worker process has come to, from what is known when nothing of it lives any more. Pure.
#pragma once

#include <optional>
#include <string>

#include "agent/launcher.h"
#include "samples/job.h"
#include "samples/process_result.h"

namespace ngb::agent {

struct Ending {
  Launched launched{};
  samples::Phase phase = samples::Phase::start;      // the last that the worker showed
  std::optional<std::string> result_text{};          // the frame that it delivered
  std::optional<samples::Failure> ended_by_agent{};  // why it was killed
  bool has_kernel_killed_for_memory = false;         // something, meanwhile
  std::uint64_t memory_limit_bytes = 0;
};

// The delivered result, where there is one of this very request; else a failure: the agent's own reason, then what the
// launcher says, then how the process ended. A crash of a process that had 90 % of its memory limit resident is
// out_of_memory: a program that is refused memory seldom says so before it falls over.
samples::ProcessResult result_of(const samples::WorkerRequest& request, const Ending& ending);

}  // namespace ngb::agent
