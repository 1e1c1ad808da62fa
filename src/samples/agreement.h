// SPDX-License-Identifier: Apache-2.0
// Says by one number how well a variant agrees with its exact model.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "samples/process_result.h"

namespace ngb::samples {

// What `min_agreement` is compared with: the share of inputs that are decided alike, if every input has a decision;
// else the mean over inputs of the cosine similarity.
struct OverallAgreement {
  bool is_of_decisions = false;
  std::size_t not_finite = 0;    // inputs without a finite score; if there is any, there are no values
  std::vector<double> values{};  // of each input that has one: 1 or 0, or the cosine
  [[nodiscard]] std::string_view noun() const { return is_of_decisions ? "top-1 agreement" : "mean cosine similarity"; }
  // Returns nothing if there is no input with a value.
  [[nodiscard]] std::optional<double> value() const;
};
OverallAgreement overall_agreement(std::span<const InputAgreement> inputs);

}  // namespace ngb::samples
