// SPDX-License-Identifier: Apache-2.0
// The metrics that say what would be shipped to run a cell elsewhere: the largest of its processes' readings, which are
// equal unless a library was replaced.
#pragma once

#include "metrics/analysis.h"
#include "metrics/metric.h"

namespace ngb::metrics {

Value model_size(const Analysis& analysis, std::size_t cell);
Value artifact_size(const Analysis& analysis, std::size_t cell);
Value runtime_size(const Analysis& analysis, std::size_t cell);
// The artifact, or the model of a compiler that writes none.
Value shipped_size(const Analysis& analysis, std::size_t cell);
Value disk_size(const Analysis& analysis, std::size_t cell);

}  // namespace ngb::metrics
