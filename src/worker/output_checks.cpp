// SPDX-License-Identifier: Apache-2.0
#include "worker/output_checks.h"

#include <span>
#include <utility>

#include "worker/check.h"
#include "worker/judging.h"

namespace ngb::worker {

OutputChecks::OutputChecks(const work::WorkerRequest& request, PreparedSession& prepared,
                           samples::ProcessResult& result, bool has_all_inputs)
    : request_(request),
      prepared_(prepared),
      result_(result),
      has_all_inputs_(has_all_inputs),
      infer_([&prepared](const Inputs& inputs) { return prepared.infer_on(inputs); }) {}

Attempt<Done> OutputChecks::check() {
  const Attempt<std::vector<OutputView>> outputs = prepared_.infer_first();
  if (!outputs) return error_of(outputs);
  if (request_.reference_path.empty()) {
    result_.check = no_check(request_);
    first_outputs_.emplace(*outputs);  // a change of them is noticed
    return rank(*outputs);
  }
  if (!request_.model.exact.empty()) return agree(*outputs);
  Attempt<Reference> reference = open_reference(request_);
  if (!reference) return error_of(reference);
  const Verdict verdict = judge(*outputs, *reference, request_);
  result_.check = verdict.check;
  if (!verdict.difference) {
    if (result_.check->reference_reason == request_.reference_reason)
      reference_ = *std::move(reference);
    else
      first_outputs_.emplace(*outputs);
    return rank(*outputs);
  }
  return tl::unexpected(failure_of(samples::FailureKind::inaccurate,
                                   {*verdict.difference, "outputs compared with those of " + result_.check->reference,
                                    advice_on(verdict, request_.model.arithmetic)}));
}

// Ranks the labels that the study gives for the model, in one process of the cell.
Attempt<Done> OutputChecks::rank(const std::vector<OutputView>& outputs) {
  if (request_.model.labels.empty() || !has_all_inputs_) return Done{};
  auto ranked = rank_labels(request_, outputs, infer_);
  if (!ranked) return error_of(ranked);
  result_.agreement = *std::move(ranked);
  return prepared_.bind_again();
}

// Compares a variant with its exact model: over all inputs in one process of the cell, over one in the others.
Attempt<Done> OutputChecks::agree(const std::vector<OutputView>& outputs) {
  first_outputs_.emplace(outputs);
  const Attempt<Agreed> agreed = agree_with_exact(request_, first_outputs_->views(), has_all_inputs_, infer_);
  if (!agreed) return error_of(agreed);
  result_.check = agreed->check;
  result_.agreement = agreed->inputs;
  return agreed->failure ? tl::unexpected(*agreed->failure) : prepared_.bind_again();
}

void OutputChecks::compare_again() {
  const Attempt<std::vector<OutputView>> outputs = prepared_.last_outputs();
  if (!outputs) return;  // what was measured stays right
  const std::span<const OutputView> before = reference_ ? reference_->outputs() : first_outputs_->views();
  result_.check->output_change = difference(*outputs, before, request_, reference_ ? "the reference" : kFirst);
}

}  // namespace ngb::worker
