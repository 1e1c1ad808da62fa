// SPDX-License-Identifier: Apache-2.0
// Chooses colours and shapes: a compiler looks the same in every page and figure.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace ngb::report {

// A page and the theme of figures have this many colours for compilers, and this many shapes of marks.
inline constexpr int kColours = 10;
inline constexpr int kShapes = 5;

struct Look {
  int colour = 0;  // below kColours
  int shape = 0;   // of the marks; taken modulo kShapes
};

// Returns the looks of several settings of compilers. `compilers` has the name of the compiler of each setting. The
// colour is the one that its compiler.json had when ngb was built, else it follows from the name, so that it is the
// same in all reports; compilers of one maker share it. Settings and versions of one compiler differ in their shapes,
// and so do the second settings of several compilers, such as published numbers beside one's own.
std::vector<Look> looks_of(std::span<const std::string> compilers);

// Returns the colour ("#0072b2") of the n-th setting of a compiler, from 0: its own one, then lighter ones.
std::string shade(const std::string& colour, int setting);

}  // namespace ngb::report
