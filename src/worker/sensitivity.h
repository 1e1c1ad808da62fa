// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ngraphbench/compiler.h"
#include "work/job.h"
#include "worker/inputs.h"
#include "worker/plugin_session.h"
#include "worker/reference_file.h"

namespace ngb::worker {

// Returns for each output of the reference whether a change as small as rounding changes it by more than the tolerance:
// a change of the inputs (Inputs::nudge), or of what operators choose from (nudged_choices.h). The latter compiles the
// model again, if it has such operators. `session` is bound to `inputs` and was run. Afterwards the inputs are changed.
// A change that cannot be made, or whose inference fails, shows nothing.
std::vector<bool> find_sensitive(const Reference& reference, const work::WorkerRequest& request,
                                 const ngb_compiler& compiler, Session& session, Inputs& inputs);

}  // namespace ngb::worker
