// SPDX-License-Identifier: Apache-2.0
// Writes the outputs of a model as reference outputs: of one inference for a check, or of all inputs over which a
// model's variants are compared with it.
#pragma once

#include <string>
#include <vector>

#include "ngraphbench/compiler.h"
#include "work/job.h"
#include "worker/agreement_runs.h"
#include "worker/plugin_session.h"

namespace ngb::worker {

// What has run the first inference.
struct Running {
  const ngb_compiler& compiler;
  Session& session;
  Inputs& inputs;  // to which it is bound; they may be changed afterwards
};

// Writes the outputs to request.reference_path, of which `first` are those of the first inference, and runs that one
// again to see whether it gives the same.
Attempt<Done> write_reference_outputs(const work::WorkerRequest& request, const std::string& made_by,
                                      const std::vector<OutputView>& first, const Running& running, const Infer& infer);

}  // namespace ngb::worker
