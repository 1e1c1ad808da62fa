// SPDX-License-Identifier: Apache-2.0
// The rules of the table of flags (flags.cpp), one for each row and with its name: each returns the value that raises
// the flag, or nothing. Pure.
#pragma once

#include <optional>

#include "metrics/metric.h"

namespace ngb::metrics::flag_rules {

std::optional<double> not_steady(const Evidence& evidence);
std::optional<double> speed_changes(const Evidence& evidence);
std::optional<double> few_repetitions(const Evidence& evidence);
std::optional<double> subnormal(const Evidence& evidence);
std::optional<double> wide_spread(const Evidence& evidence);
std::optional<double> unstable(const Evidence& evidence);
std::optional<double> uneven(const Evidence& evidence);
std::optional<double> waited(const Evidence& evidence);
std::optional<double> turns_again(const Evidence& evidence);
std::optional<double> steal(const Evidence& evidence);
std::optional<double> pressure(const Evidence& evidence);
std::optional<double> page_faults(const Evidence& evidence);
std::optional<double> throttled(const Evidence& evidence);
std::optional<double> gpu_throttled(const Evidence& evidence);
std::optional<double> extra_threads(const Evidence& evidence);
std::optional<double> mixed_build(const Evidence& evidence);
std::optional<double> mixed_environment(const Evidence& evidence);
std::optional<double> unlike_baseline(const Evidence& evidence);
std::optional<double> unchecked(const Evidence& evidence);
std::optional<double> other_reference(const Evidence& evidence);
std::optional<double> weak_check(const Evidence& evidence);
std::optional<double> not_finite(const Evidence& evidence);
std::optional<double> emulated(const Evidence& evidence);
std::optional<double> made_up(const Evidence& evidence);
std::optional<double> outputs_change(const Evidence& evidence);
std::optional<double> growing_memory(const Evidence& evidence);
std::optional<double> shared_compilation(const Evidence& evidence);
std::optional<double> incomplete(const Evidence& evidence);
std::optional<double> disturbed(const Evidence& evidence);
std::optional<double> retried(const Evidence& evidence);

}  // namespace ngb::metrics::flag_rules
