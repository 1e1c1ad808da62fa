// SPDX-License-Identifier: Apache-2.0
// Decides the result of a worker from what is known when all its processes have ended. Pure.
#pragma once

#include <optional>
#include <string>

#include "agent/workers/launcher.h"
#include "samples/process_result.h"
#include "work/job.h"

namespace ngb::agent {

struct Ending {
  Launched launched{};
  samples::Phase phase = samples::Phase::start;      // the last one that the worker reported
  std::optional<std::string> result_text{};          // the frame that the worker delivered
  std::optional<samples::Failure> ended_by_agent{};  // why the agent killed the worker
  bool has_kernel_killed_for_memory = false;         // any process on the machine, while the worker ran
  bool is_counted_for_group = false;                 // the kernel counts such kills for the worker's control group
  bool has_group_run_out_of_memory = false;          // the kernel killed in its control group
  std::uint64_t memory_limit_bytes = 0;
};

// Returns the delivered result if it belongs to this request, else a failure: the agent's reason if it killed the
// worker, else the launcher's failure, else how the process ended. A crash of a process that had 90 % of its memory
// limit resident is out_of_memory, because programs without memory rarely report it before they crash. A failure for
// which the toolchain's files may be the reason advises how to compare or mend them, by the toolchain's name.
samples::ProcessResult result_of(const work::WorkerRequest& request, const Ending& ending);

// Cuts each text of a result to 64 KiB and notes the cut. A compiler may give its whole graph as the reason of a
// failure, and a client refuses longer texts.
void shorten(samples::ProcessResult& result);

}  // namespace ngb::agent
