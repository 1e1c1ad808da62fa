// SPDX-License-Identifier: Apache-2.0
// The rules of the table of flags (flags.cpp), one for each row and with its name. Pure.
#pragma once

#include "metrics/metric.h"

namespace ngb::metrics::flag_rules {

FlagRule not_steady, speed_changes, few_repetitions, subnormal, wide_spread, unstable, uneven, waited, turns_again;
FlagRule steal, pressure, page_faults, throttled, gpu_throttled, extra_threads, growing_memory;
FlagRule mixed_build, mixed_environment, unlike_baseline, shared_compilation, incomplete, disturbed, retried;
FlagRule unchecked, other_reference, weak_check, not_finite, emulated, made_up, outputs_change;

}  // namespace ngb::metrics::flag_rules
