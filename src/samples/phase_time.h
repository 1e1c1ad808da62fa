// SPDX-License-Identifier: Apache-2.0
// What the phases of a process took. Pure.
#pragma once

#include "samples/process_result.h"

namespace ngb::samples {

// Returns the wall time of the phase, in seconds; 0 if the process did not reach it.
double seconds_of_phase(const ProcessResult& process, Phase phase);

// Returns whether the process reached the phase.
bool has_phase(const ProcessResult& process, Phase phase);

}  // namespace ngb::samples
