// SPDX-License-Identifier: Apache-2.0
// Makes up the kernels of an inference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ngraphbench/kernels.h"

namespace ngb::null_compiler {

// Reads `text`, "NODE+NODE*WEIGHT,~NAME*WEIGHT,…" or a number of kernels, which are then called "kernel 0", … and stand
// for no node. Each has its weight's share of `run_ns`. Throws plugin::Failure for another text.
std::vector<Kernel> made_up_kernels(const std::string& text, std::int64_t run_ns);

}  // namespace ngb::null_compiler
