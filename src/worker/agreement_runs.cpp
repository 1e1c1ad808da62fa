// SPDX-License-Identifier: Apache-2.0
#include "worker/agreement_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "samples/agreement.h"
#include "userfiles/input_values.h"
#include "userfiles/numpy_file.h"
#include "worker/agreement.h"
#include "worker/judging.h"

namespace ngb::worker {
namespace {

using samples::Failure;
using samples::FailureKind;

std::uint64_t seed_of_run(std::uint64_t seed, std::uint64_t run) {
  return run == 0 ? seed : mix64(seed ^ fnv1a64("agreement")) + run;
}

Attempt<Inputs> own_inputs_of(const work::Model& model, std::uint64_t seed, std::uint64_t run) {
  const std::uint64_t of_run = seed_of_run(seed, run);
  Result<Inputs> inputs = Inputs::make(model.unpadded.empty() ? model.inputs : model.unpadded, of_run);
  if (!inputs) return tl::unexpected(failure_of(FailureKind::out_of_memory, inputs.error()));
  const Status put = inputs->put(model.values, model.files, model.key.batch, of_run, run);
  if (!put) return tl::unexpected(failure_of(FailureKind::invalid_model, put.error()));
  if (model.unpadded.empty()) return *std::move(inputs);
  Result<Inputs> padded = inputs->padded_to(model.inputs);
  if (!padded) return tl::unexpected(failure_of(FailureKind::invalid_model, padded.error()));
  return *std::move(padded);
}

// Returns the exact model, which the model itself may be. A module's inputs are known from its export only.
work::Model exact_model_of(const work::Model& model) {
  if (model.exact.empty()) return model;
  work::Model exact = work::exact_of(model);
  if (exact.inputs.empty()) exact.inputs = model.inputs;
  return exact;
}

// Returns the labels of the samples of an inference; none if the study gives no labels.
Result<std::vector<std::int64_t>> labels_of(const work::Model& exact, std::uint64_t run) {
  std::vector<std::int64_t> labels;
  if (exact.labels.empty()) return labels;
  const work::UserFile* const file = work::file_called(exact.files, exact.labels);
  if (file == nullptr) return fail("the labels were not delivered with the job", exact.labels);
  Result<userfiles::Array> array = userfiles::find_array(file->path, "labels");
  if (!array) return error_of(array);
  const auto batch = static_cast<std::uint64_t>(exact.key.batch);
  labels.resize(batch);
  array->offset_bytes += run * batch * sizeof(std::int64_t);
  const Status read = userfiles::read_array(file->path, *array, labels.data(), batch * sizeof(std::int64_t));
  return read ? Result<std::vector<std::int64_t>>(std::move(labels)) : error_of(read);
}

// Adds the ranks of an inference's labels, if there are any. Returns why they do not fit.
std::optional<Failure> add_labels(const work::Model& exact, std::uint64_t run, std::span<const OutputView> outputs,
                                  std::vector<samples::InputAgreement>& inputs) {
  const Result<std::vector<std::int64_t>> labels = labels_of(exact, run);
  if (!labels) return failure_of(FailureKind::invalid_model, labels.error());
  if (labels->empty()) return std::nullopt;
  const std::optional<std::string> wrong =
      inputs.size() < labels->size() ? std::optional<std::string>("its outputs have other samples than its batch")
                                     : add_label_ranks(outputs, *labels, inputs);
  if (!wrong) return std::nullopt;
  return failure_of(FailureKind::invalid_model, {*wrong, "labels of " + exact.label, "check the study's key data"});
}

Failure disagreement(const std::string& what, const std::string& exact, std::string advice) {
  return failure_of(FailureKind::disagrees, {what, "compared with " + exact, std::move(advice)});
}

// Returns the failure of a variant that agrees too little, or nothing.
std::optional<Failure> below_least(const work::WorkerRequest& request, std::span<const samples::InputAgreement> inputs,
                                   const std::string& exact) {
  const std::optional<double>& least = request.protocol.min_agreement;
  const samples::OverallAgreement overall = samples::overall_agreement(inputs);
  if (least && overall.not_finite > 0) {
    return disagreement(fmt::format("{} of {} inputs have no finite score, so min_agreement: {:g} cannot be met",
                                    overall.not_finite, inputs.size(), *least),
                        exact, "check the inputs of the exact model: its keys inputs and data give others");
  }
  const std::optional<double> value = overall.value();
  if (!least || !value || *value >= *least) return std::nullopt;
  return disagreement(fmt::format("{} over {} inputs is {:.4g}, less than min_agreement: {:g}", overall.noun(),
                                  overall.values.size(), *value, *least),
                      exact, "quantise less of the model, calibrate with inputs of your own, or lower min_agreement");
}

}  // namespace

Attempt<Inputs> inputs_of(const work::Model& model, std::uint64_t seed, std::uint64_t run) {
  if (model.exact.empty()) return own_inputs_of(model, seed, run);
  const work::Model exact = exact_model_of(model);
  const Attempt<Inputs> inputs = own_inputs_of(exact, seed, run);
  if (!inputs) return error_of(inputs);
  Result<Inputs> converted = inputs->converted_to(model.inputs);
  if (converted) return *std::move(converted);
  return tl::unexpected(
      disagreement(converted.error().what, exact.label, "a variant needs the inputs of its exact model"));
}

Result<std::uint64_t> agreement_runs(const work::Model& exact, const work::Protocol& protocol) {
  const auto batch = static_cast<std::uint64_t>(exact.key.batch);
  std::uint64_t runs = (static_cast<std::uint64_t>(protocol.agreement_inputs) + batch - 1) / batch;
  for (const TensorSignature& input : exact.inputs) {
    const work::InputValues* const values = work::values_of(exact.values, input.name);
    const work::UserFile* const file = values == nullptr ? nullptr : work::file_called(exact.files, values->file);
    if (file == nullptr) continue;
    const Result<std::uint64_t> batches = userfiles::batches_in(*values, file->path, input, exact.key.batch);
    if (!batches) return error_of(batches);
    runs = std::min(runs, *batches);
  }
  return runs;
}

void AllOutputs::add(std::span<const OutputView> outputs) {
  kept_.push_back(std::make_unique<KeptOutputs>(outputs));
  const std::span<const OutputView> views = kept_.back()->views();
  views_.insert(views_.end(), views.begin(), views.end());
}

Attempt<AllOutputs> AllOutputs::of(const work::WorkerRequest& request, std::span<const OutputView> first,
                                   const Infer& infer) {
  AllOutputs all;
  all.add(first);
  const Result<std::uint64_t> runs = agreement_runs(request.model, request.protocol);
  if (!runs) return tl::unexpected(failure_of(FailureKind::invalid_model, runs.error()));
  for (std::uint64_t run = 1; run < *runs; ++run) {
    const Attempt<Inputs> inputs = inputs_of(request.model, request.protocol.seed, run);
    if (!inputs) return error_of(inputs);
    const Attempt<std::vector<OutputView>> outputs = infer(*inputs);
    if (!outputs) return error_of(outputs);
    all.add(*outputs);
  }
  return all;
}

Attempt<std::vector<samples::InputAgreement>> rank_labels(const work::WorkerRequest& request,
                                                          std::span<const OutputView> first, const Infer& infer) {
  const Result<std::uint64_t> runs = agreement_runs(request.model, request.protocol);
  if (!runs) return tl::unexpected(failure_of(FailureKind::invalid_model, runs.error()));
  std::vector<samples::InputAgreement> inputs(static_cast<std::size_t>(request.model.key.batch));
  std::optional<Failure> wrong = add_labels(request.model, 0, first, inputs);
  for (std::uint64_t run = 1; run < *runs && !wrong; ++run) {
    const Attempt<Inputs> of_run = inputs_of(request.model, request.protocol.seed, run);
    if (!of_run) return error_of(of_run);
    const Attempt<std::vector<OutputView>> outputs = infer(*of_run);
    if (!outputs) return error_of(outputs);
    inputs.resize(inputs.size() + static_cast<std::size_t>(request.model.key.batch));
    wrong = add_labels(request.model, run, *outputs, inputs);
  }
  if (wrong) return tl::unexpected(*wrong);
  return inputs;
}

Attempt<Agreed> agree_with_exact(const work::WorkerRequest& request, std::span<const OutputView> first, bool has_all,
                                 const Infer& infer) {
  const Attempt<Reference> reference = open_reference(request);
  if (!reference) return error_of(reference);
  const work::Model exact = exact_model_of(request.model);
  const Result<std::uint64_t> runs = agreement_runs(exact, request.protocol);
  if (!runs) return tl::unexpected(failure_of(FailureKind::invalid_model, runs.error()));
  const std::size_t count = reference->outputs().size() / *runs;  // of an inference
  const std::string judged_by = exact.label + " by " + who_judges(reference->facts(), request.reference_is_given);
  Agreed agreed{.check = no_check(request)};
  Agreement agreement(request.model.key.batch);
  std::optional<std::string> wrong = agreement.add(first, reference->outputs().first(count));
  std::vector<samples::InputAgreement> labelled = agreement.inputs();
  if (has_all && !wrong) agreed.failure = add_labels(exact, 0, first, labelled);
  for (std::uint64_t run = 1; run < *runs && has_all && !wrong; ++run) {
    const Attempt<Inputs> inputs = inputs_of(request.model, request.protocol.seed, run);
    if (!inputs) return error_of(inputs);
    const Attempt<std::vector<OutputView>> outputs = infer(*inputs);
    if (!outputs) return error_of(outputs);
    const std::size_t before = labelled.size();
    wrong = agreement.add(*outputs, reference->outputs().subspan(run * count, count));
    labelled.insert(labelled.end(), agreement.inputs().begin() + static_cast<std::ptrdiff_t>(before),
                    agreement.inputs().end());
    if (!wrong && !agreed.failure) agreed.failure = add_labels(exact, run, *outputs, labelled);
  }
  agreed.check.reference = judged_by;
  agreed.check.compared_elements = agreement.compared_elements();
  agreed.check.finite_elements = agreement.finite_elements();
  agreed.check.max_absolute_error = Known<double>::of(agreement.max_absolute_error());
  agreed.check.max_relative_error = Known<double>::unknown("a variant has agreement in its place");
  if (wrong) {
    agreed.failure = disagreement(*wrong, judged_by, "a variant needs the outputs of its exact model, all finite");
    return agreed;
  }
  if (has_all) agreed.inputs = std::move(labelled);
  if (has_all && !agreed.failure) agreed.failure = below_least(request, agreed.inputs, judged_by);
  return agreed;
}

}  // namespace ngb::worker
