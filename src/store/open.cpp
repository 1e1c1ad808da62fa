// SPDX-License-Identifier: Apache-2.0
#include "store/open.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/partials.h"
#include "base/removal.h"
#include "base/text.h"

namespace ngb::store {
namespace {

constexpr int kBusyTimeoutMs = 30'000;

void set_up(sql::Database& database) {
  sqlite3_busy_timeout(database.handle(), kBusyTimeoutMs);
  database.execute("PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY");
}

// Undoes the unfinished commit of a killed writer: SQLite does so when a connection that may write reads.
void undo_interrupted_commit(const std::filesystem::path& file) {
  sql::Database database(file, SQLITE_OPEN_READWRITE);
  sqlite3_busy_timeout(database.handle(), kBusyTimeoutMs);
  database.execute("SELECT count(*) FROM sqlite_master");
}

// Returns the file's size in bytes, less if it is sparse: a file could claim any size without using the disk.
std::uint64_t bytes_of(const std::filesystem::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return 0;
  constexpr std::uint64_t kBlock = 512;
  constexpr std::uint64_t kMostCompressed = 16;
  constexpr std::uint64_t kSmall = 64U << 20U;
  const auto on_disk = static_cast<std::uint64_t>(status.st_blocks) * kBlock;
  return std::min(static_cast<std::uint64_t>(status.st_size), kMostCompressed * on_disk + kSmall);
}

// A file that is read from its beginning to its end needs no large cache, and may have several readers.
void set_up_to_read(sql::Database& database) {
  set_up(database);
  database.execute("PRAGMA cache_size = -16384");
}

sql::Database open_existing(const std::filesystem::path& file) {
  // SQLite would wait for the writer of a FIFO and read a device forever.
  if (const Status regular = file::require_regular(file); !regular) {
    throw sql::SqlError(regular.error(), SQLITE_CANTOPEN);
  }
  try {
    sql::Database database(file, SQLITE_OPEN_READONLY);
    database.bound_steps(bytes_of(file));
    set_up_to_read(database);
    database.execute("SELECT count(*) FROM sqlite_master");
    return database;
  } catch (const sql::SqlError& error) {
    if (error.code != SQLITE_READONLY_ROLLBACK) throw;
  }
  try {
    undo_interrupted_commit(file);
  } catch (const sql::SqlError&) {
    throw sql::SqlError({"a program was killed while it wrote this file, and the unfinished write cannot be undone "
                         "without write access",
                         file.string(), "copy the whole folder to a place where you can write, and read the copy"},
                        SQLITE_READONLY_ROLLBACK);
  }
  sql::Database database(file, SQLITE_OPEN_READONLY);
  database.bound_steps(bytes_of(file));
  set_up_to_read(database);
  return database;
}

void copy_to(sql::Database& copy, sql::Database& source) {
  sqlite3_backup* backup = sqlite3_backup_init(copy.handle(), "main", source.handle(), "main");
  if (backup != nullptr) {
    sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
  }
  const int code = sqlite3_errcode(copy.handle());
  if (code != SQLITE_OK) throw sql::SqlError(sql::to_error(code, sqlite3_errmsg(copy.handle()), source.file()), code);
}

// Keeps an older file under the name results.version-N.db before it is migrated, for the version of ngb that wrote it.
// A copy of that name that exists is kept instead. Only who has the writer's lock opens a file to write, so that a
// partial copy is one of a program that was killed, which no later call would remove: the file is older only until
// then.
void keep_older(sql::Database& database, std::int64_t version) {
  const std::filesystem::path file = database.file();
  const std::filesystem::path kept =
      file.parent_path() / (file.stem().string() + ".version-" + std::to_string(version) + file.extension().string());
  std::error_code error;
  file::remove_old_partials(kept, std::chrono::hours(0));
  if (std::filesystem::exists(kept, error)) return;
  const std::filesystem::path partial = file::partial_path(kept);
  try {
    sql::Database copy(partial, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    copy.execute("PRAGMA journal_mode = MEMORY");  // a kill would leave a journal on disk
    copy_to(copy, database);
  } catch (const sql::SqlError&) {
    file::remove(partial);
    throw;
  }
  const Status done = file::put_in_place(partial, kept);
  if (done) return;
  file::remove(partial);
  throw sql::SqlError(done.error(), SQLITE_IOERR);
}

sql::Database copy_in_memory(sql::Database& source) {
  sql::Database copy(kInMemory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  copy_to(copy, source);
  copy.bound_steps(bytes_of(source.file()));
  set_up(copy);
  return copy;
}

// Returns what to type instead of a folder without results: those within it that have some, or the one of its name in
// `results`, where `ngb run` puts them.
std::string advice_for(const std::filesystem::path& file) {
  constexpr std::size_t kMostNamed = 4;
  namespace fs = std::filesystem;
  const fs::path folder = file.parent_path();
  std::error_code error;
  std::set<std::string> found;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    std::error_code none;
    if (fs::exists(each->path() / file.filename(), none)) found.insert(each->path().lexically_normal());
  }
  if (fs::exists("results" / folder / file.filename(), error)) {
    found.insert(("results" / folder / ".").lexically_normal().parent_path());
  }
  std::vector<std::string> known(found.begin(), found.end());
  if (known.empty()) return "name a folder that `ngb run` has written";
  const bool are_all = known.size() <= kMostNamed;
  known.resize(std::min(known.size(), kMostNamed));
  return "these have some: " + text::join(known, ", ") + (are_all ? "" : ", …");
}

}  // namespace

sql::Database open_to_write(const std::filesystem::path& file, std::span<const Migration> steps) {
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    if (const Status regular = file::require_regular(file); !regular) {
      throw sql::SqlError(regular.error(), SQLITE_CANTOPEN);
    }
  }
  sql::Database database(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  set_up(database);
  identify(database, steps);
  database.execute("PRAGMA journal_mode = DELETE; PRAGMA cache_spill = OFF");
  // EXTRA also syncs the folder, so that a deleted journal does not reappear after a power failure.
  if (!file::is_in_partial(file)) database.execute("PRAGMA synchronous = EXTRA");
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version > 0 && version < version_of(steps)) keep_older(database, version);
  migrate(database, steps);
  return database;
}

sql::Database open_to_read(const std::filesystem::path& file, std::span<const Migration> steps) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    throw sql::SqlError({"there are no results here", file.string(), advice_for(file)}, SQLITE_CANTOPEN);
  }
  sql::Database database = open_existing(file);
  if (identify(database, steps) == FileKind::empty) {
    throw sql::SqlError({"there are no results in this file yet", file.string(), "run the study first"}, SQLITE_NOTADB);
  }
  if (database.integer("PRAGMA user_version") == version_of(steps)) return database;
  sql::Database copy = copy_in_memory(database);
  migrate(copy, steps);
  return copy;
}

sql::Database open_new(const std::filesystem::path& file, std::span<const Migration> steps) {
  sql::Database database(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  set_up(database);
  database.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF");
  migrate(database, steps);
  return database;
}

}  // namespace ngb::store
