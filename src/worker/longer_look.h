// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "samples/process_result.h"
#include "work/protocol.h"
#include "worker/series.h"

namespace ngb::worker {

// Returns for how many nanoseconds a cell's first process goes on after its timed phase, so that a change of its speed
// is seen (Protocol::longer_look_s); 0 or less: it does not go on. `phases` are those that it ran.
std::int64_t longer_look_ns(const work::Protocol& protocol, const std::vector<samples::PhaseUse>& phases);

// Adds what it found: the times of an inference, as `later_inference` and `flushed_inference`.
void add_readings(const Later& later, std::vector<samples::Reading>& readings);

}  // namespace ngb::worker
