// SPDX-License-Identifier: Apache-2.0
// Finds the setting that is faster than all others of its device and workload.
#pragma once

#include <vector>

#include "metrics/series/findings.h"

namespace ngb::metrics::series {

// A workload on a device, with the settings of the two highest speeds.
struct Race {
  std::size_t leader = 0;  // cells of the analysis
  std::size_t runner_up = 0;
  std::size_t entrants = 0;
  double p = 1;  // of "none is the fastest"
  double adjusted_p = 1;
};

// Returns the workloads that have at least two settings with a speed, in the order of their first cells.
std::vector<Race> races_of(const Analysis& analysis);

// Returns a finding for each setting that is the fastest of at least one workload. The leader of a workload of k
// settings is tested against each other one; k/2 times the largest of the two-sided p values bounds the error of
// calling any setting of the workload the fastest, because each of the k could have been the leader.
std::vector<Finding> about_fastest(const Analysis& analysis);

}  // namespace ngb::metrics::series
