// SPDX-License-Identifier: Apache-2.0
// The tables of a results file, and how older files become newer ones. The SQL carries a comment for every table and
// column: `sqlite3 results.db .schema` shows them, docs/results.md is generated from them.
#pragma once

#include <span>
#include <string>

#include "store/sqlite.h"

namespace ngb::store {

inline constexpr int kApplicationId = 0x4E474252;  // "NGBR", in the file's header

// One step from version n-1 to version n; the n-th step of the table makes version n. Step 1 makes an empty file a
// results file. A step that has been released is never changed.
struct Migration {
  const char* meaning;
  const char* sql;
};
std::span<const Migration> migrations();

enum class FileKind { empty, results };
// Throws SqlError: not a results file; written by a newer version; damaged.
FileKind identify(const sql::Database& database, std::span<const Migration> steps);

// Applies the steps that the file has not yet, all of them or none.
void migrate(sql::Database& database, std::span<const Migration> steps);

// The part of docs/results.md that lists every table and column.
std::string schema_markdown();

}  // namespace ngb::store
