// SPDX-License-Identifier: Apache-2.0
// Says what a study should be told before it runs: toolchains that it lacks, processors that a control group does not
// allow, memory limits that are more than the machine has or less than a model needs, percentiles that it will not
// have, compilers that do not run what a file quantises with.
#pragma once

#include <string>
#include <vector>

#include "campaign/study_compilers.h"
#include "plan/plan.h"

namespace ngb::app {

// Returns what a quota of so many processors ("0.6") does.
std::string words_of_quota(const std::string& processors);

// Returns a line for each toolchain that the plan's cells on this machine lack, with what to type.
std::vector<std::string> toolchain_remarks(const campaign::Compilers& compilers, const plan::Plan& plan);

// Returns lines that name the operators with which ONNX files quantise numbers, and the compilers that refuse them or
// compute them for their value alone.
std::vector<std::string> quantised_remarks(const campaign::Compilers& compilers, const plan::Plan& plan);

// Returns a line about this machine's quota if cells that are measured here use more threads than it allows; else "".
std::string quota_remark(const plan::Plan& plan);

// Returns a line if the processes of a round in turns may together hold more memory than this machine has; else "".
std::string memory_remark(const plan::Plan& plan);

// Returns a line if a process on some device may hold less memory than its model's weights take; else "".
std::string weights_remark(const plan::Plan& plan);

// Says of each list among the parameters of a module that it is one argument, and not several models.
std::vector<std::string> list_remarks(const plan::Plan& plan);

// Returns a line that says which percentiles of latency the plan's cells will have, and what the others need; "" if it
// measures no latencies.
std::string percentile_remark(const plan::Plan& plan);

}  // namespace ngb::app
