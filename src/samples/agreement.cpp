// SPDX-License-Identifier: Apache-2.0
#include "samples/agreement.h"

#include <algorithm>
#include <numeric>

namespace ngb::samples {

std::optional<double> OverallAgreement::value() const {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

OverallAgreement overall_agreement(std::span<const InputAgreement> inputs) {
  OverallAgreement overall;
  overall.is_of_decisions =
      !inputs.empty() && std::all_of(inputs.begin(), inputs.end(),
                                     [](const InputAgreement& each) { return each.decides_alike.has_value(); });
  overall.not_finite = static_cast<std::size_t>(
      std::count_if(inputs.begin(), inputs.end(), [](const InputAgreement& each) { return each.is_not_finite; }));
  if (overall.not_finite > 0) return overall;
  for (const InputAgreement& each : inputs) {
    if (overall.is_of_decisions) {
      overall.values.push_back(*each.decides_alike ? 1 : 0);
    } else if (each.cosine) {
      overall.values.push_back(*each.cosine);
    }
  }
  return overall;
}

}  // namespace ngb::samples
