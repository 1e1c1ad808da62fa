// SPDX-License-Identifier: Apache-2.0
// Computes the values of the cells of one family.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "metrics/analysis.h"
#include "metrics/metric.h"

namespace ngb::metrics {

// Returns the values of each cell of the analysis: those of the metrics, in their order, then the raised flags, named
// "flag_<name>". `highest_hz` has the highest clock frequency of each device, if one is known.
std::vector<std::vector<store::DerivedValue>> compute_family(const Analysis& analysis,
                                                             std::span<const Metric* const> metrics,
                                                             const std::map<std::string, double>& highest_hz);

// Returns the whole table, in its order.
std::vector<const Metric*> all_metrics();

}  // namespace ngb::metrics
