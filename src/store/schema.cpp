// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "store/schema_sql.h"

namespace ngb::store {
namespace {

constexpr std::array kMigrations{Migration{"the first tables", kVersion1}};

[[noreturn]] void refuse(const sql::Database& database, std::string what, std::string next) {
  throw sql::SqlError({std::move(what), database.file().string(), std::move(next)}, SQLITE_ERROR);
}

void require_whole(const sql::Database& database) {
  std::error_code error;
  const auto size_bytes = std::filesystem::file_size(database.file(), error);
  if (error) return;  // a database in memory
  const auto expected = database.integer("PRAGMA page_count") * database.integer("PRAGMA page_size");
  if (size_bytes < static_cast<std::uintmax_t>(expected)) {
    throw sql::SqlError(
        sql::to_error(SQLITE_CORRUPT, fmt::format("{} bytes of {}", size_bytes, expected), database.file()),
        SQLITE_CORRUPT);
  }
}

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

FileKind identify(const sql::Database& database, std::span<const Migration> steps) {
  const std::int64_t application = database.integer("PRAGMA application_id");
  if (application == 0 && database.integer("SELECT count(*) FROM sqlite_master") == 0) return FileKind::empty;
  if (application != kApplicationId)
    throw sql::SqlError(sql::to_error(SQLITE_NOTADB, "", database.file()), SQLITE_NOTADB);
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version > static_cast<std::int64_t>(steps.size())) {
    refuse(database,
           fmt::format("written by a newer version of ngb: the file is of version {}, this ngb knows up to version {}",
                       version, steps.size()),
           "use a newer ngb, or another output folder");
  }
  require_whole(database);
  return FileKind::results;
}

void migrate(sql::Database& database, std::span<const Migration> steps) {
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version >= static_cast<std::int64_t>(steps.size())) return;
  sql::Transaction transaction(database);
  for (const Migration& step : steps.subspan(static_cast<std::size_t>(version))) database.execute(step.sql);
  database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, steps.size()));
  transaction.commit();
}

}  // namespace ngb::store
