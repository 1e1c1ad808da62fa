// SPDX-License-Identifier: Apache-2.0
// Writes the numbers that a text about the results quotes, as commands for LaTeX.
#pragma once

#include <string>

#include "paper/tables/input.h"

namespace ngb::paper::tables {

// Returns a \newcommand for each: how many devices, models, compilers and cells there are, and the means of groups and
// the numbers of depth of `ngb show --series`, with the bounds of their intervals in commands that end in Low and High.
// Each has a comment above it. No two commands have the same name.
std::string quoted_numbers(const Input& input);

}  // namespace ngb::paper::tables
