// SPDX-License-Identifier: Apache-2.0
// Chooses processors for a process, by the same rule for every compiler, and pins the process to them.
#pragma once

#include <sys/types.h>

#include <vector>

namespace ngb {

// Returns the number of this machine's processors that this process may use, at least 1.
int processor_count();

// Returns `threads` of the allowed processors, sorted, or all of them if there are not more. `cores[i]` is the core of
// allowed[i]. The highest come first, because interrupts and other programs prefer the lowest; no core is used twice
// before every core is used once.
std::vector<int> choose_cpus(const std::vector<int>& allowed, const std::vector<int>& cores, int threads);

// Returns the processors of the part `index` of `count` equal parts of `cpus`, sorted. `cores[i]` is the core of
// cpus[i]; processors of one core are in one part where that is possible.
std::vector<int> part_of_cpus(const std::vector<int>& cpus, const std::vector<int>& cores, int index, int count);

// Returns `allowed` without `taken`, or all of `allowed` if nothing is left.
std::vector<int> other_cpus(const std::vector<int>& allowed, const std::vector<int>& taken);

// Returns the core of each of these processors on this machine. Without that information, each processor is one.
std::vector<int> cores_of(const std::vector<int>& cpus);

// Pins a process (0: this one). Threads that it started before are not affected. Returns false, with errno, on failure.
bool confine(pid_t pid, const std::vector<int>& cpus);

}  // namespace ngb
