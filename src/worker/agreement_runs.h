// SPDX-License-Identifier: Apache-2.0
// Runs the inferences over whose inputs a variant is compared with its exact model: of the exact model to make the
// outputs, then of the variant. Nothing here is timed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "samples/process_result.h"
#include "work/job.h"
#include "worker/inputs.h"
#include "worker/plugin_session.h"
#include "worker/reference_file.h"

namespace ngb::worker {

// Copies outputs that a session overwrites with its next inference.
class KeptOutputs {
 public:
  explicit KeptOutputs(std::span<const OutputView> outputs) {
    bytes_.reserve(outputs.size());
    for (const OutputView& output : outputs) {
      bytes_.emplace_back(static_cast<const char*>(output.data),
                          output.signature.element_count() * size_bytes(output.signature.type));
      views_.push_back({output.signature, bytes_.back().data()});
    }
  }
  KeptOutputs(const KeptOutputs&) = delete;  // the views refer to the bytes
  KeptOutputs& operator=(const KeptOutputs&) = delete;
  ~KeptOutputs() = default;

  [[nodiscard]] std::span<const OutputView> views() const { return views_; }

 private:
  std::vector<std::string> bytes_;
  std::vector<OutputView> views_;
};

// Returns the inputs of inference `run`, of which 0 is the one that is timed: those of the exact model for a variant,
// in the types of its own inputs.
Attempt<Inputs> inputs_of(const work::Model& model, std::uint64_t seed, std::uint64_t run = 0);

// Returns how many inferences the inputs of a comparison need: Protocol::agreement_inputs by batches, or as many as the
// files of the study's values hold. `exact` is the exact model.
Result<std::uint64_t> agreement_runs(const work::Model& exact, const work::Protocol& protocol);

// Runs an inference on these inputs and returns its outputs, which the next one overwrites.
using Infer = std::function<Attempt<std::vector<OutputView>>(const Inputs& inputs)>;

// The outputs of all these inferences, one after the other. `first` are those of the first one, which was run.
class AllOutputs {
 public:
  static Attempt<AllOutputs> of(const work::WorkerRequest& request, std::span<const OutputView> first,
                                const Infer& infer);
  [[nodiscard]] const std::vector<OutputView>& views() const { return views_; }

 private:
  void add(std::span<const OutputView> outputs);

  std::vector<std::unique_ptr<KeptOutputs>> kept_{};
  std::vector<OutputView> views_{};
};

struct Agreed {
  samples::Check check{};
  std::vector<samples::InputAgreement> inputs{};  // empty unless all inferences were run
  std::optional<samples::Failure> failure{};      // the outputs cannot be compared, or agree too little
};
// Returns the ranks of the labels of a model that has some: by the outputs of all inferences.
Attempt<std::vector<samples::InputAgreement>> rank_labels(const work::WorkerRequest& request,
                                                          std::span<const OutputView> first, const Infer& infer);

// Compares a variant's outputs with those of its exact model, which are at request.reference_path: all of them, or
// those of the first inference only.
Attempt<Agreed> agree_with_exact(const work::WorkerRequest& request, std::span<const OutputView> first, bool has_all,
                                 const Infer& infer);

}  // namespace ngb::worker
