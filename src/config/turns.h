// SPDX-License-Identifier: Apache-2.0
// Says where processes cannot take turns: what takes turns is one process at a time that repeats, and nothing beside
// it.
#pragma once

#include <string>
#include <vector>

#include "config/study.h"

namespace ngb::config {

// The number of turns in a study that does not set it: as many as a process usually has repetitions.
inline constexpr int kUsualTurns = 20;

// Returns what excludes turns in this study, each with what to remove; nothing if they are possible.
std::vector<std::string> what_excludes_turns(const Study& study);
// Returns in the same form what excludes `profile`. Compilers report kernels only of inferences that run one after the
// other, with nothing beside them.
std::vector<std::string> what_excludes_profiles(const Study& study);
// Returns whether the study does not say whether its processes take turns, and has nothing that excludes them.
bool leaves_turns_open(const Study& study);

}  // namespace ngb::config
