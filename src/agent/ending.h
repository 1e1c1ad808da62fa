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
};

// The delivered result, where there is one of this very request; else a failure: the agent's own reason, then what the
// launcher says, then how the process ended.
samples::ProcessResult result_of(const samples::WorkerRequest& request, const Ending& ending);

}  // namespace ngb::agent
