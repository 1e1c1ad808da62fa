// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "sample.sql.h"
#include "store/schema_sql_7.h"
#include "store/schema_sql_after_7.h"

namespace ngb::store {
namespace {

// Reads files of all versions, from 1 on (docs/decisions/0029-results-files-from-version-7.md).
constexpr const char* kLastCommitThatReadsAll = "7c7d939";

constexpr std::array kMigrations{Migration{"the tables of the oldest version that is read", kVersion7},
                                 Migration{"tolerances, reasons of references, outputs that change", kVersion8},
                                 Migration{"where the time of an inference goes", kVersion9},
                                 Migration{"variants of models and their agreement", kVersion10},
                                 Migration{"inputs without a finite score, least times of kernels", kVersion11},
                                 Migration{"columns of the key first", kVersion12},
                                 Migration{"values of the whole file", kVersion13},
                                 Migration{"own processors", kVersion14}};

// Returns the steps that have made a file of the version, which is 0 or one that is read.
std::span<const Migration> steps_to(std::int64_t version, std::span<const Migration> steps) {
  return version == 0 ? steps.first(0) : steps.first(static_cast<std::size_t>(version - kOldestVersion + 1));
}

[[noreturn]] void refuse(const sql::Database& database, std::string what, std::string next) {
  throw sql::SqlError({std::move(what), database.file().string(), std::move(next)}, SQLITE_ERROR);
}

void require_whole(const sql::Database& database) {
  std::error_code error;
  const auto size_bytes = std::filesystem::file_size(database.file(), error);
  if (error) return;  // a database in memory
  const auto expected = database.integer("PRAGMA page_count") * database.integer("PRAGMA page_size");
  if (size_bytes < static_cast<std::uintmax_t>(expected)) {
    database.refuse(fmt::format("{} bytes of {}", size_bytes, expected));
  }
}

// Describes each table's kind and columns as text that can be compared.
std::map<std::string, std::string> tables_of(const sql::Database& database) {
  std::map<std::string, std::string> tables;
  sql::Statement kinds = database.statement(
      "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main' AND type <> 'view'");
  while (kinds.step()) {
    tables[kinds.text(0)] = fmt::format("{} {} {}", kinds.text(1), kinds.integer(2), kinds.integer(3));
  }
  for (auto& [name, words] : tables) {
    if (!words.starts_with("table ")) continue;  // asking a virtual table for its columns would run its code
    sql::Statement columns =
        database.statement("SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid");
    columns.bind(name);
    while (columns.step()) {
      words += fmt::format(", {} {} {} {} {}", columns.text(0), columns.text(1), columns.integer(2), columns.integer(3),
                           columns.integer(4));
    }
  }
  return tables;
}

// Returns what the steps make. It is kept, because making it takes longer than all else that opening a file does, and a
// command may open dozens of files. Any thread may call it.
const std::map<std::string, std::string>& tables_made_by(std::span<const Migration> steps) {
  static std::mutex mutex;
  static std::map<std::string, std::map<std::string, std::string>> made;
  std::string sql;
  for (const Migration& step : steps) sql.append(step.sql).append(";\n");
  const std::scoped_lock lock(mutex);
  if (const auto kept = made.find(sql); kept != made.end()) return kept->second;
  sql::Database ours(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  ours.execute(sql);
  return made[sql] = tables_of(ours);
}

// Throws SqlError unless the file has the tables that ngb makes: reading a view or a virtual table in their place could
// do anything.
void require_our_tables(const sql::Database& database, std::span<const Migration> steps) {
  const std::map<std::string, std::string> there = tables_of(database);
  for (const auto& [name, words] : tables_made_by(steps)) {
    const auto found = there.find(name);
    if (found != there.end() && found->second == words) continue;
    database.refuse(fmt::format("its table {} is not the one that ngb makes", name));
  }
}

// Makes the view `sample` anew unless the file has it as it is now.
void renew_views(sql::Database& database) {
  {
    sql::Statement view = database.statement("SELECT sql FROM sqlite_master WHERE type = 'view' AND name = 'sample'");
    if (view.step() && view.text(0) == sample_view()) return;
  }
  sql::Transaction transaction(database);
  database.execute("DROP VIEW IF EXISTS sample");
  database.execute(sample_view());
  transaction.commit();
}

void apply_steps_after(std::int64_t version, sql::Database& database, std::span<const Migration> steps) {
  sql::Transaction transaction(database);
  for (const Migration& step : steps.subspan(steps_to(version, steps).size())) database.execute(step.sql);
  database.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, version_of(steps)));
  transaction.commit();
}

// Returns what the file's schema defines, by kind and name: {"view", "sample"}.
std::set<std::pair<std::string, std::string>> objects_of(const sql::Database& database) {
  std::set<std::pair<std::string, std::string>> objects;
  sql::Statement row = database.statement("SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL");
  while (row.step()) objects.emplace(row.text(0), row.text(1));
  return objects;
}

std::set<std::pair<std::string, std::string>> our_objects() {
  sql::Database ours(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  for (const Migration& step : kMigrations) ours.execute(step.sql);
  renew_views(ours);
  return objects_of(ours);
}

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

std::string sample_view() {
  const std::string_view file = text::trim(kText_sample_sql);
  return std::string(file.substr(file.find("CREATE VIEW")));
}

std::int64_t version_of(std::span<const Migration> steps) {
  return kOldestVersion + static_cast<std::int64_t>(steps.size()) - 1;
}

FileKind identify(const sql::Database& database, std::span<const Migration> steps) {
  const std::int64_t application = database.integer("PRAGMA application_id");
  if (application == 0 && database.integer("SELECT count(*) FROM sqlite_master") == 0) return FileKind::empty;
  if (application != kApplicationId)
    throw sql::SqlError(sql::to_error(SQLITE_NOTADB, "", database.file()), SQLITE_NOTADB);
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version > version_of(steps)) {
    refuse(
        database,
        fmt::format("written by a newer version of ngb: the file has version {}, and this ngb reads versions up to {}",
                    version, version_of(steps)),
        "use a newer ngb; to measure with this one, choose another output folder");
  }
  if (version < 1) database.refuse(fmt::format("it claims to have version {}", version));
  if (version < kOldestVersion) {
    refuse(database,
           fmt::format("written before the first release of ngb: the file has version {}, and this ngb reads versions "
                       "from {} on",
                       version, kOldestVersion),
           fmt::format("build ngb from the git commit {} and run `ngb merge FOLDER -o NEW` with it; NEW can be read",
                       kLastCommitThatReadsAll));
  }
  require_whole(database);
  require_our_tables(database, steps_to(version, steps));
  return FileKind::results;
}

void migrate(sql::Database& database, std::span<const Migration> steps) {
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version < version_of(steps)) apply_steps_after(version, database, steps);
  const bool has_all_tables = steps.size() >= kMigrations.size();  // the view reads columns of the newest version
  if (has_all_tables) renew_views(database);
}

std::string foreign_object(const sql::Database& database) {
  const auto made_by_us = our_objects();
  for (const auto& object : objects_of(database)) {
    if (!made_by_us.contains(object)) return fmt::format("{} {}", object.first, object.second);
  }
  return {};
}

void keep_only_ours(sql::Database& database) {
  const auto made_by_us = our_objects();
  sql::Transaction transaction(database);
  for (const char* const kind : {"trigger", "view", "index", "table"}) {  // each before what it depends on
    for (const auto& [type, name] : objects_of(database)) {
      if (type != kind || made_by_us.contains({type, name})) continue;
      std::string quoted = name;
      for (std::size_t at = 0; (at = quoted.find('"', at)) != std::string::npos; at += 2) quoted.insert(at, 1, '"');
      database.execute(fmt::format("DROP {} IF EXISTS \"{}\"", type, quoted));
    }
  }
  transaction.commit();
  renew_views(database);
}

}  // namespace ngb::store
