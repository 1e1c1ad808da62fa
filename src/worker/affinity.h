// SPDX-License-Identifier: Apache-2.0
// Gives every compiler equal conditions: the same processors, pinned before its library is opened.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace ngb::worker {

// Formats processor numbers as "0,2-3".
std::string cpu_list(std::span<const int> cpus);

// Pins the calling thread, and thereby all threads that it starts from now on. Returns the processors read back
// afterwards, as text for the facts: "2-3".
Result<std::string> pin_to_cpus(int threads);

}  // namespace ngb::worker
