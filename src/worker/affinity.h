// SPDX-License-Identifier: Apache-2.0
// Equal conditions for every compiler: the same processors, set by us before its library is opened.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace ngb::worker {

// The `threads` highest of `allowed` (ascending); all of them when there are fewer.
std::vector<int> choose_cpus(std::span<const int> allowed, int threads);

// "0,2-3"
std::string cpu_list(std::span<const int> cpus);

// Pins the calling thread, and so all threads that it starts from now on. Returns what holds afterwards, read back, as
// text for the facts: "2-3", or "0-1 (2 processors for 4 threads)".
Result<std::string> pin_to_cpus(int threads);

}  // namespace ngb::worker
