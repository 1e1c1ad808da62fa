// SPDX-License-Identifier: Apache-2.0
// Defines the tables of a results file and migrates older files. The SQL has a comment for every table and column:
// `sqlite3 results.db .schema` shows them, and docs/results.md is generated from them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "store/sqlite.h"

namespace ngb::store {

inline constexpr int kApplicationId = 0x4E474252;  // "NGBR", in the file's header

// Files of older versions were written before the first release, and are refused.
inline constexpr int kOldestVersion = 7;

// A step to the next version. The first one makes an empty file a results file of version kOldestVersion. The SQL of a
// released step never changes.
struct Migration {
  const char* meaning;
  const char* sql;
};
std::span<const Migration> migrations();
// Returns the version of a file that has all the steps.
std::int64_t version_of(std::span<const Migration> steps);

enum class FileKind { empty, results };
// Throws SqlError if the file is not a results file, is of a version that is not read, or is damaged.
FileKind identify(const sql::Database& database, std::span<const Migration> steps);

// Returns the statement that makes the view `sample`, from CREATE to its last word, as SQLite keeps it.
std::string sample_view();

// Applies the steps that the file does not have yet, all of them or none, and then makes the view `sample` as it is
// now. A file that has both stays unchanged, byte for byte. Throws SqlError.
void migrate(sql::Database& database, std::span<const Migration> steps);

// Returns the name of a table, view, index or trigger that ngb has not made; "" if there is none. The file has the
// tables of the newest version. Throws SqlError.
std::string foreign_object(const sql::Database& database);

// Removes tables, views, indexes and triggers that ngb has not made, and makes the view `sample` as it is now. The file
// has the tables of the newest version. Throws SqlError.
void keep_only_ours(sql::Database& database);

// Returns the part of docs/results.md that lists every table and column.
std::string schema_markdown();

}  // namespace ngb::store
