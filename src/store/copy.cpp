// SPDX-License-Identifier: Apache-2.0
#include "store/copy.h"

#include <fmt/format.h>

#include <cstdint>
#include <system_error>

#include "base/file.h"
#include "base/removal.h"
#include "store/homes.h"
#include "store/kept_values.h"
#include "store/open.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace ngb::store {
namespace {

// VACUUM attaches the file that it writes, which our limits for foreign files exclude. An error of the disk is one of
// the copy, because the source is only read.
void write_without_gaps(sql::Database& from, const std::filesystem::path& to) {
  sqlite3_limit(from.handle(), SQLITE_LIMIT_ATTACHED, 1);
  try {
    from.statement("VACUUM INTO ?").run(to.string());
  } catch (sql::SqlError& error) {
    if (error.error.code == ErrorCode::disk_full) {
      error.error.what = "no space left on the disk for a copy of the results";
      error.error.where = to.string();
    }
    throw;
  }
}

}  // namespace

Status copy_measured(const std::filesystem::path& from, const std::filesystem::path& to) {
  const std::filesystem::path whole = file::partial_path(to);
  Status done = sql::guarded([&]() -> Status {
    {
      sql::Database source = open_to_read(from, migrations());
      write_without_gaps(source, whole);
    }
    sql::Database copy(whole, SQLITE_OPEN_READWRITE);
    std::error_code ignored;
    copy.bound_steps(std::filesystem::file_size(whole, ignored));
    keep_only_ours(copy);
    remove_kept(copy);
    hide_homes(copy);
    copy.execute("DELETE FROM presence");
    write_without_gaps(copy, to);
    return Done{};
  });
  file::remove(whole);
  if (!done) file::remove(to);
  return done;
}

// PRAGMA integrity_check is of no use here: SQLite 3.40.0 to 3.41.0 find NULLs that are not there in files of versions
// before 12. Loading checks what is used.
Status check_references(const std::filesystem::path& file) {
  return sql::guarded([&]() -> Status {
    const sql::Database database = open_to_read(file, migrations());
    sql::Statement row = database.statement("PRAGMA foreign_key_check");
    if (!row.step()) return Done{};
    return fail("a row of the table " + row.text(0) + " refers to a row that is missing", file.string());
  });
}

Status check_only_ours(const std::filesystem::path& file) {
  return sql::guarded([&]() -> Status {
    const std::string foreign = foreign_object(open_to_read(file, migrations()));
    if (foreign.empty()) return Done{};
    return fail(fmt::format("it has the {}, which no bundle has", foreign), file.string());
  });
}

std::string why_version_is_not_read(const std::filesystem::path& file) {
  const auto version = sql::guarded([&]() -> Result<std::int64_t> {
    return sql::Database(file, SQLITE_OPEN_READONLY).integer("PRAGMA user_version");
  });
  if (version && *version > version_of(migrations())) return "a newer version of ngb has written results.db";
  if (version && *version > 0 && *version < kOldestVersion) return "results.db is from before the first release of ngb";
  return {};
}

Result<std::vector<DerivedValue>> stored_derived(const std::filesystem::path& file) {
  return sql::guarded(
      [&]() -> Result<std::vector<DerivedValue>> { return read_derived(open_to_read(file, migrations())); });
}

Result<std::vector<SeriesPart>> stored_series(const std::filesystem::path& file) {
  return sql::guarded(
      [&]() -> Result<std::vector<SeriesPart>> { return read_series(open_to_read(file, migrations())); });
}

}  // namespace ngb::store
