// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite.h"

#include <fmt/format.h>

#include <limits>

#include "base/partials.h"

namespace ngb::store::sql {

static_assert(SQLITE_VERSION_NUMBER >= 3037000, "STRICT tables need SQLite 3.37");

Error to_error(int code, std::string_view detail, const std::filesystem::path& file) {
  const std::string where = file.string();
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return {"no space left on the disk; what was recorded before is kept", where,
              "free some space and run the same command again", ErrorCode::disk_full};
    case SQLITE_NOTADB:
      return {"not a results file", where, "name a results folder, or choose another output folder"};
    case SQLITE_CORRUPT:
      return {fmt::format("the results file is damaged ({})", detail), where,
              "restore a copy, or save what can be read: sqlite3 FILE .recover | sqlite3 NEW"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {fmt::format("cannot write the results file ({})", detail), where,
              "check the permissions of the file and its folder, or choose another output folder", ErrorCode::unable};
    case SQLITE_CANTOPEN:
      return {fmt::format("cannot open the results file ({})", detail), where,
              "check that the folder exists and that you may use it, or choose another output folder",
              ErrorCode::unable};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {"the results file is in use by another program", where,
              "wait until that program has ended, then try again",
              (code & 0xFF) == SQLITE_BUSY ? ErrorCode::busy : ErrorCode::other};
    case SQLITE_INTERRUPT:
      return {"the results file is damaged, or was made so that reading it never ends", where, "ask for another copy"};
    case SQLITE_TOOBIG:
      return {"the results file holds a text that is too long", where, "ask for another copy"};
    case SQLITE_IOERR:
      return {fmt::format("cannot read or write the results file ({})", detail), where,
              "check the disk, the network file system and the limit of a file's size (ulimit -f), then run the same "
              "command again",
              ErrorCode::unable};
    case SQLITE_NOMEM:
      return {"no memory is left for the results file", where, "end other programs, then try again", ErrorCode::unable};
    default:
      return {fmt::format("SQLite: {}", detail), where, {}};
  }
}

namespace {

[[noreturn]] void raise(sqlite3* database, int code, const std::filesystem::path& file) {
  const int extended = database != nullptr ? sqlite3_extended_errcode(database) : code;
  const char* detail = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  throw SqlError(to_error(extended, detail, file), extended);
}

// Disables what a hostile file could use. An option that this SQLite does not know has no effect.
void defend(sqlite3* database) {
  for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
                                      {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0}}) {
    (void)sqlite3_db_config(database, option, value, nullptr);
  }
  // The longest texts are the study and the manifests. Our own statements are far below the other limits.
  for (const auto& [limit, value] : {std::pair{SQLITE_LIMIT_LENGTH, 256 << 20},
                                     {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
                                     {SQLITE_LIMIT_COLUMN, 100},
                                     {SQLITE_LIMIT_EXPR_DEPTH, 100},
                                     {SQLITE_LIMIT_COMPOUND_SELECT, 10},
                                     {SQLITE_LIMIT_VDBE_OP, 25'000},
                                     {SQLITE_LIMIT_FUNCTION_ARG, 20},
                                     {SQLITE_LIMIT_ATTACHED, 0},
                                     {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
                                     {SQLITE_LIMIT_VARIABLE_NUMBER, 100},
                                     {SQLITE_LIMIT_TRIGGER_DEPTH, 1}}) {
    sqlite3_limit(database, limit, value);
  }
  sqlite3_exec(database, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", nullptr, nullptr, nullptr);
}

int count_down(void* left) { return --*static_cast<std::int64_t*>(left) < 0 ? 1 : 0; }

}  // namespace

Statement::Statement(sqlite3* database, std::string_view sql, std::filesystem::path file)
    : database_(database), file_(std::move(file)) {
  sqlite3_stmt* handle = nullptr;
  check(sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &handle, nullptr));
  handle_.reset(handle);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) raise(database_, code, file_);
}

void Statement::bind_one(int index, std::string_view value) {
  // The address of an empty view may be null, which SQLite would store as NULL.
  const char* data = value.empty() ? "" : value.data();
  check(sqlite3_bind_text(handle_.get(), index, data, static_cast<int>(value.size()), SQLITE_TRANSIENT));
}

void Statement::bind_one(int index, const Blob& value) {
  const char* data = value.bytes.empty() ? "" : value.bytes.data();
  check(sqlite3_bind_blob(handle_.get(), index, data, static_cast<int>(value.bytes.size()), SQLITE_TRANSIENT));
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(handle_.get());
    return false;
  }
  const int extended = sqlite3_extended_errcode(database_);
  const SqlError error(to_error(extended, sqlite3_errmsg(database_), file_), extended);
  sqlite3_reset(handle_.get());
  throw error;
}

int Statement::small(int column) const {
  const std::int64_t value = integer(column);
  if (value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max())
    return static_cast<int>(value);
  refuse(fmt::format("the number {} is out of range", value));
}

void refuse_damaged(const std::filesystem::path& file, const std::string& what) {
  throw SqlError(to_error(SQLITE_CORRUPT, what, file), SQLITE_CORRUPT);
}

std::string Statement::text(int column) const {
  const unsigned char* bytes = sqlite3_column_text(handle_.get(), column);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

std::string Statement::bytes(int column) const {
  const void* bytes = sqlite3_column_blob(handle_.get(), column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

Database::Database(std::filesystem::path file, int flags) : file_(std::move(file)) {
  // Threads that read with databases of their own would wait for each other to count bytes that nobody asks for. It is
  // said before the first database of the program is opened, and refused later.
  [[maybe_unused]] static const int said = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(file_.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) raise(handle, code, file_);
  sqlite3_extended_result_codes(handle, 1);
  defend(handle);
  if (file::is_in_partial(file_)) execute("PRAGMA synchronous = OFF");
}

void Database::bound_steps(std::uint64_t file_bytes) {
  constexpr int kStepsEach = 10'000;
  constexpr std::int64_t kAtLeast = 5'000'000;
  constexpr std::int64_t kPerByte = 200;
  steps_left_ =
      std::make_unique<std::int64_t>((kAtLeast + kPerByte * static_cast<std::int64_t>(file_bytes)) / kStepsEach);
  sqlite3_progress_handler(handle_.get(), kStepsEach, count_down, steps_left_.get());
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) raise(handle_.get(), code, file_);
}

Statement& Database::kept(const char* sql) {
  const auto found = kept_.find(sql);
  if (found != kept_.end()) {
    found->second.reset();
    return found->second;
  }
  return kept_.emplace(sql, statement(sql)).first->second;
}

std::int64_t Database::integer(std::string_view sql) const {
  Statement query = statement(sql);
  return query.step() ? query.integer(0) : 0;
}

void Database::roll_back() noexcept {
  if (is_in_transaction()) sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace ngb::store::sql
