// SPDX-License-Identifier: Apache-2.0
// Which processors a worker has, and which the agent itself: equal for every compiler, set explicitly.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace ngb::agent {

// `cores[i]` names the core that processor allowed[i] belongs to. Picks `threads` of the allowed processors: from the
// highest down (interrupts and what else runs prefer the lowest), one of each core before a second of any; sorted.
// All of them when there are not more.
std::vector<int> choose_cpus(const std::vector<int>& allowed, const std::vector<int>& cores, int threads);

// What of `allowed` is not in `taken`; all of `allowed` when nothing is left.
std::vector<int> other_cpus(const std::vector<int>& allowed, const std::vector<int>& taken);

// The core of each of these processors on this machine; where the machine does not tell, each is its own.
std::vector<int> cores_of(const std::vector<int>& cpus);

// Confines a process (0: this one). Threads that it has already started keep theirs.
bool confine(pid_t pid, const std::vector<int>& cpus);

}  // namespace ngb::agent
