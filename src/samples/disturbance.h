// SPDX-License-Identifier: Apache-2.0
// Decides whether other work on the machine disturbed a process. Only evidence from outside decides, never the measured
// times: to drop processes by their result would make false verdicts (docs/measurement.md).
#pragma once

#include <optional>

#include "samples/failure.h"
#include "samples/process_result.h"
#include "work/protocol.h"

namespace ngb::samples {

// Returns the failure `disturbed` if the process was kept from its processors for more than the rule allows: by the run
// queue, the host or the quota of its control group, each as a share of the timed phase. The longest of them counts,
// and an unknown one shows nothing. The message names the cause and `result.neighbours`.
std::optional<Failure> disturbance_of(const ProcessResult& result, const work::Disturbance& rule);

// Does the same for a process that was measured beside its cell's load. It waits for its processors because of the
// load, so its run queue shows nothing; instead, what programs other than the worker and its load used of their
// processors counts.
std::optional<Failure> disturbance_beside_load(const ProcessResult& result, const work::Disturbance& rule);

}  // namespace ngb::samples
