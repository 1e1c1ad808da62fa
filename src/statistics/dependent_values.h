// SPDX-License-Identifier: Apache-2.0
// Says how many independent values some dependent ones are worth for a quantile: requests that wait in one queue are
// late together, and so are the inferences of one slow process.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "statistics/statistics.h"

namespace ngb::statistics {

// How values depend on each other: by the lengths of the parts that follow one another in their order.
struct Dependence {
  std::vector<std::size_t> processes{};  // each measured so many of the values
  std::vector<std::size_t> periods{};    // within each, values depend on each other; empty: on no neighbour
  double least_design_effect = 1;        // known beforehand; at least 1
};

struct Worth {
  double independent = 0;            // at most the number of values; 0: not even the dependence is known
  bool do_processes_differ = false;  // by more than chance, so that they are what is counted
};

// Returns the worth of the values for quantile q: n / design effect (Kish, Survey Sampling, 1965) of the share of
// values beyond the quantile, which is that of a ratio over periods and at least the one known beforehand. The shares
// of few periods are known badly; that takes off the factor (z / t)² of Korn and Graubard (1998), z and t being the
// quantiles of the normal and of Student's distribution for this error rate, with as many degrees of freedom as periods
// have a value beyond the quantile, less one. If the shares of processes differ by more than periods explain (F test, 5
// %), the same is computed over processes and the smaller worth counts. Preconditions: the lengths of processes, and of
// periods if there are any, are positive and add up to the number of values, which is not 0; 0 < q < 1.
Worth worth_of(std::span<const double> values, const Dependence& dependence, double q, double error_rate = kErrorRate);

}  // namespace ngb::statistics
