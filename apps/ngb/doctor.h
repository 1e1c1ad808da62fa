// SPDX-License-Identifier: Apache-2.0
// `ngb doctor`: what this machine has and lacks, and what to type.
#pragma once

#include <filesystem>

namespace ngb {

// `lib`: lib/ngraphbench of this installation. Prints to standard output, as a table for people or as JSON.
// Returns the exit code: 0, or 3 when something is missing (a warning alone does not count).
int doctor(const std::filesystem::path& lib, bool as_json);

}  // namespace ngb
