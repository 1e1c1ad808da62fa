// SPDX-License-Identifier: Apache-2.0
// Writes the outputs of a model as reference outputs: of one inference for a check, or of all inputs over which a
// model's variants are compared with it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ngraphbench/compiler.h"
#include "work/job.h"
#include "worker/agreement_runs.h"
#include "worker/inputs.h"
#include "worker/plugin_session.h"
#include "worker/reference_file.h"

namespace ngb::worker {

// The session that has run the first inference.
struct Running {
  const ngb_compiler& compiler;
  Session& session;
  Inputs& inputs;  // the session is bound to them; they may be changed afterwards
  // Runs the first inference again, on the inputs to which the session is bound, and returns its outputs.
  std::function<Attempt<std::vector<OutputView>>()> infer_again;
};

// Writes the outputs of all inferences to request.reference_path. `first` has the outputs of the first inference, which
// runs again to see whether it gives the same. Which outputs are sensitive is not looked for in passes.
Attempt<Done> write_reference_outputs(const work::WorkerRequest& request, const std::string& made_by,
                                      const std::vector<OutputView>& first, const Running& running, const Infer& infer);

// Returns for each output of the reference whether a change as small as rounding changes it by more than the tolerance:
// a change of the inputs (Inputs::nudge), or of what operators choose from (nudged_choices.h). The latter compiles the
// model again, if it has such operators. `session` is bound to `inputs` and was run. Afterwards the inputs are changed.
// A change that cannot be made, or whose inference fails, shows nothing.
std::vector<bool> find_sensitive(const Reference& reference, const work::WorkerRequest& request,
                                 const ngb_compiler& compiler, Session& session, Inputs& inputs);

}  // namespace ngb::worker
