// SPDX-License-Identifier: Apache-2.0
// The speed of a process, as metrics compute it and as a device computes it to decide whether another round is needed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "samples/process_result.h"

namespace ngb::samples {

// Returns how many instances ran the repetitions: 1 if there are none.
std::size_t instances_of(std::span<const Repetition> repetitions);

// Returns the speed of a process by time: element n - 1 is that of its first n steady repetitions together, their
// samples divided by their time, in samples per second (with batch size 1: inferences per second). So it is what a
// clock on the wall says, and the last element is the speed of the process. It is not the mean of the repetitions'
// rates, in which a slow repetition would count as if it took no time. Of several instances it is the sum of each one's
// speed, and n goes up to the number m of the instance with the fewest: the first n of m equal parts of each one's
// repetitions.
std::vector<double> speeds_by_time(std::span<const Repetition> repetitions, int batch = 1);

// Returns the samples per second of each steady repetition, in the order run: the rates of which the paper gives mean
// and deviation. Of several instances there are m as above: element j is what all of them did together, the sum over
// the instances of the mean rate of each in the j-th part of its repetitions.
std::vector<double> steady_rates(std::span<const Repetition> repetitions, int batch = 1);

}  // namespace ngb::samples
