// SPDX-License-Identifier: Apache-2.0
// Opening a results file, whatever state it is in. Both functions throw SqlError.
#pragma once

#include <filesystem>
#include <span>

#include "store/schema.h"
#include "store/sqlite.h"

namespace ngb::store {

inline constexpr const char* kInMemory = ":memory:";

// Creates or migrates. One file is left when it is closed: rollback journal, no write-ahead log, since results folders
// lie on network file systems and are copied about. A commit is on disk when it returns.
sql::Database open_to_write(const std::filesystem::path& file, std::span<const Migration> steps);

// Writes nothing. An older file is migrated in memory.
sql::Database open_to_read(const std::filesystem::path& file, std::span<const Migration> steps);

}  // namespace ngb::store
