// SPDX-License-Identifier: Apache-2.0
// Intervals of shares of independent cases.
#pragma once

#include <cstddef>

#include "statistics/statistics.h"

namespace ngb::statistics {

// Returns the interval of Wilson (1927) for the share of which `successes` of `cases` is a sample. Unlike the interval
// of the normal distribution it stays within [0, 1] and has a width if all cases are alike. Preconditions: cases > 0,
// successes <= cases.
Interval wilson_interval(std::size_t successes, std::size_t cases, double error_rate = kErrorRate);

}  // namespace ngb::statistics
