// SPDX-License-Identifier: Apache-2.0
// Opens a results file in whatever state it is. All functions throw SqlError.
#pragma once

#include <filesystem>
#include <span>

#include "store/schema.h"
#include "store/sqlite.h"

namespace ngb::store {

inline constexpr const char* kInMemory = ":memory:";

// Opens a file to write, after creating or migrating it. Before a file is migrated, a copy of it is kept beside it as
// results.version-N.db. A commit is on disk when it returns. The database uses a rollback journal and no write-ahead
// log, so a closed database is one file: results folders are on network file systems and are copied.
sql::Database open_to_write(const std::filesystem::path& file, std::span<const Migration> steps);

// Opens a file to read. An older file is migrated in memory and stays unchanged. Writes only to undo the unfinished
// commit of a killed writer.
sql::Database open_to_read(const std::filesystem::path& file, std::span<const Migration> steps);

// Creates an empty results file to be filled in one transaction and then closed. A crash may leave half of it, so the
// caller gives it its final name afterwards. An empty `file` means a temporary one, which vanishes when it is closed.
sql::Database open_new(const std::filesystem::path& file, std::span<const Migration> steps);

}  // namespace ngb::store
