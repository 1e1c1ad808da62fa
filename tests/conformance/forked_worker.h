// SPDX-License-Identifier: Apache-2.0
// Workers that a Python forks ready-made, as the agent has them: importing a compiler's packages takes seconds, and a
// test program needs dozens of workers. One server for each compiler and test program.
#pragma once

#include <optional>

#include "agent/workers/launcher.h"
#include "compiler_under_test.h"

namespace ngb::conformance {

// Runs one worker to its end and returns waitpid's status; nothing when it had to be killed after limit_s.
// Aborts the program when there is no server to be had.
std::optional<int> run_forked(const CompilerUnderTest& compiler, const agent::Launch& launch, int limit_s);

}  // namespace ngb::conformance
