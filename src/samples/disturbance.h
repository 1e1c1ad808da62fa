// SPDX-License-Identifier: Apache-2.0
// Decides whether other work on the machine disturbed a process. Only evidence from outside decides, never the measured
// times: to drop processes by their result would make false verdicts (docs/measurement.md).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "samples/failure.h"
#include "samples/process_result.h"
#include "work/protocol.h"

namespace ngb::samples {

// Fact of a process whose own threads wait for each other. Its value is the share of half a second in which one of them
// waited (worker/pauses.h).
inline constexpr std::string_view kWaitsForItself = "waits_for_itself";

// Returns the share of a time, in percent, in which a thread waited for a processor, if that is more than is allowed
// and other programs used the process's `cpus` processors for less than half as long: then its own threads wait for
// each other. `shares` are those of probe::waits_between; nothing follows from unknown ones.
std::optional<double> own_wait_percent(const std::vector<Reading>& shares, std::size_t cpus, double max_wait_ratio);

// Returns the failure `disturbed` if the process was kept from its processors for more than the rule allows: by the run
// queue, the host or the quota of its control group, each as a share of the timed phase. The longest of them counts,
// and an unknown one shows nothing. The message names the cause and `result.neighbours`. Of a process with the fact
// `waits_for_itself`, its run queue shows nothing; instead, what other programs used of its processors counts.
std::optional<Failure> disturbance_of(const ProcessResult& result, const work::Disturbance& rule);

// Does the same for a process that was measured beside its cell's load. It waits for its processors because of the
// load, so its run queue shows nothing; instead, what programs other than the worker and its load used of their
// processors counts.
std::optional<Failure> disturbance_beside_load(const ProcessResult& result, const work::Disturbance& rule);

// Returns the share of the timed phase, in percent, that these rules compare with what is allowed, and 0 if none is
// known. `causes_its_wait`: the process does, or its load, so that its run queue shows nothing.
double disturbed_percent(const ProcessResult& result, bool causes_its_wait);

}  // namespace ngb::samples
