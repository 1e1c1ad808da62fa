// SPDX-License-Identifier: Apache-2.0
// The speed of a process, as metrics compute it and as a device computes it to decide whether another round is needed.
#pragma once

#include <span>
#include <vector>

#include "samples/process_result.h"

namespace ngb::samples {

// Returns how many instances ran the repetitions: 1 if there are none.
std::size_t instances_of(std::span<const Repetition> repetitions);

// Returns the samples per second of each steady repetition, in the order run; with batch size 1, the inferences per
// second. Of several instances there are as many as the one with the fewest has, m: element j is what all of them did
// together, the sum over the instances of the mean rate of each in the j-th of m equal parts of its repetitions.
std::vector<double> steady_rates(std::span<const Repetition> repetitions, int batch = 1);

}  // namespace ngb::samples
