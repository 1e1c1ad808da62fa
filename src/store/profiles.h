// SPDX-License-Identifier: Apache-2.0
// Keeps profiles compressed. Processes of a cell tell the same kernels of the same graph again and again, so both are
// kept once, and of each process only the times. All functions throw SqlError.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "samples/kernel_profile.h"
#include "store/sqlite.h"

namespace ngb::store {

void insert_profile(sql::Database& database, std::int64_t process_key, const samples::KernelProfile& profile);

// What was loaded of a file's profiles: graphs and kernels are in memory once for all processes that have them.
struct ProfileShelf {
  std::map<std::int64_t, SharedList<work::GraphNode>> graphs{};
  std::map<std::int64_t, SharedList<samples::Kernel>> kernels{};
  std::int64_t left_bytes = 512 << 20;  // of memory for further ones, about
};
// Returns the profile of a process; nothing if it has none. Whatever the file claims, neither what is decompressed for
// one profile nor all profiles on the shelf exceed a bound.
std::optional<samples::KernelProfile> profile_of(sql::Database& database, std::int64_t process_key,
                                                 ProfileShelf& shelf);

}  // namespace ngb::store
