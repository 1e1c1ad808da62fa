// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite.h"

#include <fmt/format.h>

namespace ngb::store::sql {

static_assert(SQLITE_VERSION_NUMBER >= 3037000, "STRICT tables need SQLite 3.37");

Error to_error(int code, std::string_view detail, const std::filesystem::path& file) {
  const std::string where = file.string();
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return {"no space left on the disk; what was recorded before is kept", where,
              "free some space and run the same command again"};
    case SQLITE_NOTADB:
      return {"not a results file", where, "name a results folder, or choose another output folder"};
    case SQLITE_CORRUPT:
      return {fmt::format("the results file is damaged ({})", detail), where,
              "restore a copy, or save what can be read: sqlite3 FILE .recover | sqlite3 NEW"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {fmt::format("cannot write the results file ({})", detail), where,
              "check the permissions of the file and its folder, or choose another output folder"};
    case SQLITE_CANTOPEN:
      return {fmt::format("cannot open the results file ({})", detail), where,
              "check that the folder exists and its permissions, or choose another output folder"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {"the results file is in use by another program", where, "wait until it has ended, then try again"};
    case SQLITE_IOERR:
      return {fmt::format("cannot read or write the results file ({})", detail), where,
              "check the disk or the network file system, then run the same command again"};
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
  // An empty view may have no address, which SQLite would take for NULL.
  const char* data = value.empty() ? "" : value.data();
  check(sqlite3_bind_text(handle_.get(), index, data, static_cast<int>(value.size()), SQLITE_TRANSIENT));
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

std::string Statement::text(int column) const {
  const unsigned char* bytes = sqlite3_column_text(handle_.get(), column);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

Database::Database(std::filesystem::path file, int flags) : file_(std::move(file)) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(file_.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) raise(handle, code, file_);
  sqlite3_extended_result_codes(handle, 1);
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
