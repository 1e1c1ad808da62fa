// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "samples/process_result.h"
#include "work/job.h"
#include "worker/agreement_runs.h"
#include "worker/plugin_session.h"
#include "worker/prepared_session.h"
#include "worker/reference_file.h"

namespace ngb::worker {

// Checks the outputs of a process before and after its timed part, and notes in the result what it found.
class OutputChecks {
 public:
  // `has_all_inputs`: this process is the one of its cell that compares all inputs and ranks all labels. All of the
  // arguments outlive this object.
  OutputChecks(const work::WorkerRequest& request, PreparedSession& prepared, samples::ProcessResult& result,
               bool has_all_inputs);

  // Runs the first inference and compares its outputs with the reference, or with the exact model of a variant. Fails
  // if they differ.
  Attempt<Done> check();
  // Compares the outputs of the last inference (PreparedSession::last_outputs) with the reference, or with those of the
  // first one if there is none.
  // Precondition: `check` has succeeded.
  void compare_again();

 private:
  Attempt<Done> rank(const std::vector<OutputView>& outputs);
  Attempt<Done> agree(const std::vector<OutputView>& outputs);

  const work::WorkerRequest& request_;
  PreparedSession& prepared_;
  samples::ProcessResult& result_;
  bool has_all_inputs_;
  Infer infer_;
  std::optional<Reference> reference_{};        // with which the outputs were compared
  std::optional<KeptOutputs> first_outputs_{};  // without a reference
};

}  // namespace ngb::worker
