// SPDX-License-Identifier: Apache-2.0
// Keeps profiles compressed. Processes of a cell tell the same kernels of the same graph again and again, so both are
// kept once, and of each process only the times. All functions throw SqlError.
#pragma once

#include <cstdint>
#include <optional>

#include "samples/kernel_profile.h"
#include "store/sqlite.h"

namespace ngb::store {

void insert_profile(sql::Database& database, std::int64_t process_key, const samples::KernelProfile& profile);

// Returns the profile of a process; nothing if it has none. What it decompresses is bounded, whatever the file claims.
std::optional<samples::KernelProfile> profile_of(sql::Database& database, std::int64_t process_key);

}  // namespace ngb::store
