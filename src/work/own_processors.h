// SPDX-License-Identifier: Apache-2.0
// Says on which processors of a machine a compiler's processes run.
#pragma once

#include <vector>

#include "base/result.h"
#include "base/topology.h"
#include "work/compiler.h"

namespace ngb::work {

// Returns the processors of all instances of the compiler together, sorted: those that the study chooses, else as many
// of `allowed` as its threads need (choose_cpus), or all of them if there are fewer. Returns an error, which says what
// to write instead, if the study's choice means none of `allowed`, or fewer than its threads need.
Result<std::vector<int>> own_processors(const Compiler& compiler, const std::vector<LogicalProcessor>& allowed);

// Returns how many threads the word `all` or `physical` means on these processors, of which a quota allows `most`: one
// for each, or for each of their cores, and at least 1.
int threads_meant(std::string_view word, const std::vector<LogicalProcessor>& on, int most);

// Returns those of `allowed` that the compiler may use: the study's choice, or all if it leaves the choice open or if
// it means none.
std::vector<LogicalProcessor> usable_by(const Compiler& compiler, const std::vector<LogicalProcessor>& allowed);

}  // namespace ngb::work
