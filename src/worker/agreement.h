// SPDX-License-Identifier: Apache-2.0
// Compares the outputs of a variant with those of its exact model, input by input. A variant computes something else
// on purpose, so it has agreement in place of a check within tolerances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "samples/process_result.h"
#include "worker/reference_file.h"

namespace ngb::worker {

// Collects the agreement of inferences. Outputs correspond by their names if both sides have the same names, else by
// their order. If the first extent of all outputs is the batch size, each sample is an input; else each inference is.
//   An output has classes if it is of real numbers and one extent of a sample's part alone is above 1: [batch, 1000].
//   SQNR, cosine and error are over the elements of real numbers of an output; the worst output counts.
// Elements whose exact value is NaN, and infinities that are equal, are left out: a score that is not finite is never
// the highest. An input without a finite number (InputAgreement::is_not_finite) has no agreement.
class Agreement {
 public:
  explicit Agreement(int batch) : batch_(batch) {}

  // Adds an inference. Returns why the outputs cannot be compared, or nothing: their number, a shape or a type (of real
  // numbers or not) differs, or a number is not finite where the exact one is.
  std::optional<std::string> add(std::span<const OutputView> outputs, std::span<const OutputView> exact);

  [[nodiscard]] const std::vector<samples::InputAgreement>& inputs() const { return inputs_; }
  [[nodiscard]] std::uint64_t compared_elements() const { return compared_; }
  // Returns how many of them are integers, or real numbers that are finite on both sides.
  [[nodiscard]] std::uint64_t finite_elements() const { return compared_ - not_finite_; }
  [[nodiscard]] double max_absolute_error() const;

 private:
  int batch_;
  std::vector<samples::InputAgreement> inputs_{};
  std::uint64_t compared_ = 0;
  std::uint64_t not_finite_ = 0;
};

// Adds the rank of its label to each of the last inputs, of which there is one for each label: the samples of an
// inference with these outputs. Returns why that cannot be, or nothing.
std::optional<std::string> add_label_ranks(std::span<const OutputView> outputs, std::span<const std::int64_t> labels,
                                           std::vector<samples::InputAgreement>& inputs);

}  // namespace ngb::worker
