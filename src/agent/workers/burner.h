// SPDX-License-Identifier: Apache-2.0
// The program of a load: the agent starts its own file with the task `load`.
#pragma once

#include <vector>

#include "work/load.h"

namespace ngb::agent {

// Carries out the load on these processors until standard input ends, because the agent closed it or ended. A command
// runs below this process, which then kills all that the command has started. Returns the program's exit code; if a
// signal ended the command, the same signal ends this program.
int carry_out(const work::Load& load, const std::vector<int>& cpus);

// Does the same for the arguments that the agent gives: the load as JSON, and its processors as "0,2,3".
int carry_out(const char* load_json, const char* cpus);

}  // namespace ngb::agent
