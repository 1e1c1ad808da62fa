// SPDX-License-Identifier: Apache-2.0
// Gives every compiler equal conditions: the same processors, pinned before its library is opened.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "work/compiler.h"

namespace ngb::worker {

// Formats processor numbers as "0,2-3".
std::string cpu_list(std::span<const int> cpus);

// Pins the calling thread, and thereby all threads that it starts from now on. Of several instances, each gets as many
// processors of its own. Returns the processors read back afterwards, as text for the facts: "2-3".
Result<std::string> pin_to_cpus(int threads, int instance = 0, int instances = 1);

// Returns an error if the threads of all instances are more than the processors that this process may use.
std::optional<Error> too_few_processors(const work::Compiler& compiler, std::size_t processors);

}  // namespace ngb::worker
