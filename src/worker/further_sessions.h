// SPDX-License-Identifier: Apache-2.0
// Makes and destroys sessions of a cell, one after the other, beside the one that was measured.
#pragma once

#include <vector>

#include "ngraphbench/compiler.h"
#include "samples/process_result.h"
#include "work/job.h"
#include "worker/inputs.h"

namespace ngb::worker {

// Does so as often as Protocol::sessions says, or for a minute if that takes longer. Each opens the compiler, compiles
// the model or loads what another process has compiled, runs one inference and is closed. Adds readings of moment
// "session": for each its `session` time in s, and for each and for what was before them `sessions`, `memory` and
// `proportional_memory` of one time, as MemoryMarks does. A session that fails ends it: its time is unknown, with the
// reason.
void add_further_sessions(const work::WorkerRequest& request, const ngb_compiler& compiler, const Inputs& inputs,
                          std::vector<samples::Reading>& readings);

}  // namespace ngb::worker
