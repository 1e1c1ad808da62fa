// SPDX-License-Identifier: Apache-2.0
// The metrics that say how a load, and how other programs, used the machine while a cell was timed.
#pragma once

#include "metrics/analysis.h"
#include "metrics/metric.h"

namespace ngb::metrics {

Formula load_cpu, load_memory, run_queue_wait;

}  // namespace ngb::metrics
