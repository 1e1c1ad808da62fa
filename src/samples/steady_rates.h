// SPDX-License-Identifier: Apache-2.0
// The speed of a process, as metrics compute it and as a device computes it to decide whether another round is needed.
#pragma once

#include <span>
#include <vector>

#include "samples/process_result.h"

namespace ngb::samples {

// Returns the samples per second of each steady repetition, in the order run; with batch size 1, the inferences per
// second.
std::vector<double> steady_rates(std::span<const Repetition> repetitions, int batch = 1);

}  // namespace ngb::samples
