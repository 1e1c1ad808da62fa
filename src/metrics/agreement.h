// SPDX-License-Identifier: Apache-2.0
// The metrics that say how well a variant agrees with its exact model. Their intervals are over inputs, as if these
// were drawn at random from all that the model may get.
#pragma once

#include "metrics/analysis.h"
#include "metrics/metric.h"

namespace ngb::metrics {

// `agreement` is what `min_agreement` is compared with (samples/agreement.h).
Formula agreement, top1_agreement, sqnr, cosine, input_error, agreement_inputs;
// Models with labels have these two, whether they are exact or variants.
Formula top1_accuracy, top5_accuracy;
// The largest difference from the reference's outputs, of an exact model too.
Formula absolute_error;

// Returns the value of `agreement`, or nothing if no process of the cell has compared it.
std::optional<double> agreement_of(const store::CellData& cell);

// A smaller fall is no regression: compilers that round otherwise differ in the fourth digit of a cosine.
inline constexpr double kLeastFall = 0.01;

// Returns whether the candidate agrees less with its exact model than the baseline does: by more than kLeastFall, and
// the 95 % interval of the mean difference, input by input, is below 0; or it has an input without a finite score and
// the baseline has none. Else false unless both were compared over equally many inputs.
bool agreement_fell(const store::CellData& baseline, const store::CellData& candidate);

}  // namespace ngb::metrics
