// SPDX-License-Identifier: Apache-2.0
// SQLite's C interface, as little of it as this room needs. Failures throw SqlError inside the room; its public
// functions turn them into Errors with `guarded`.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/result.h"

namespace ngb::store::sql {

struct SqlError : std::runtime_error {
  SqlError(Error failure, int result_code)
      : std::runtime_error(failure.text()), error(std::move(failure)), code(result_code) {}
  Error error;
  int code;  // SQLite's extended result code
};

// What the result code means for a user, and what to do next.
Error to_error(int code, std::string_view detail, const std::filesystem::path& file);

class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql, std::filesystem::path file);

  // Binds all parameters, from the first on.
  template <class... Values>
  Statement& bind(const Values&... values) {
    int index = 0;
    (bind_one(++index, values), ...);
    return *this;
  }
  // Binds, executes to the end, and is ready for the next call.
  template <class... Values>
  void run(const Values&... values) {
    bind(values...);
    while (step()) {
    }
  }
  // True: a row is there. False: the end; the statement is reset.
  bool step();
  void reset() { sqlite3_reset(handle_.get()); }

  [[nodiscard]] bool is_null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  // Throws SqlError where the value is none of an int: only a damaged file has one.
  [[nodiscard]] int small(int column) const;
  [[nodiscard]] double real(int column) const { return sqlite3_column_double(handle_.get(), column); }
  [[nodiscard]] std::string text(int column) const;

 private:
  void bind_one(int index, std::int64_t value) { check(sqlite3_bind_int64(handle_.get(), index, value)); }
  void bind_one(int index, std::uint64_t value) { bind_one(index, static_cast<std::int64_t>(value)); }
  void bind_one(int index, std::uint32_t value) { bind_one(index, static_cast<std::int64_t>(value)); }
  void bind_one(int index, int value) { check(sqlite3_bind_int(handle_.get(), index, value)); }
  void bind_one(int index, bool value) { check(sqlite3_bind_int(handle_.get(), index, value ? 1 : 0)); }
  void bind_one(int index, double value) { check(sqlite3_bind_double(handle_.get(), index, value)); }
  void bind_one(int index, std::string_view value);
  void bind_one(int index, const std::string& value) { bind_one(index, std::string_view(value)); }
  void bind_one(int index, const char* value) { bind_one(index, std::string_view(value)); }
  void bind_one(int index, std::nullopt_t /*none*/) { check(sqlite3_bind_null(handle_.get(), index)); }
  template <class T>
  void bind_one(int index, const std::optional<T>& value) {
    if (value) {
      bind_one(index, *value);
    } else {
      bind_one(index, std::nullopt);
    }
  }
  void check(int code) const;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  sqlite3* database_;
  std::filesystem::path file_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

class Database {
 public:
  // `flags`: SQLITE_OPEN_…. Throws SqlError. Set as SQLite's list for files of unknown origin says
  // (https://sqlite.org/security.html): no function of the schema is trusted, views and triggers do not run, sizes
  // and depths are limited.
  Database(std::filesystem::path file, int flags);

  // From now on every statement ends with an Error after steps that no whole file of its size needs.
  void bound_steps(std::uint64_t file_bytes);

  void execute(const std::string& sql);
  [[nodiscard]] Statement statement(std::string_view sql) const { return {handle_.get(), sql, file_}; }
  // Prepared at the first call and kept. `sql` must be a literal: it is known by its address.
  Statement& kept(const char* sql);
  // First column of the first row; 0 when there is no row.
  [[nodiscard]] std::int64_t integer(std::string_view sql) const;

  [[nodiscard]] std::int64_t last_key() const { return sqlite3_last_insert_rowid(handle_.get()); }
  [[nodiscard]] bool changed() const { return sqlite3_changes(handle_.get()) > 0; }
  // How often the file was changed by whomever, as its header counts it; nothing where it does not (a database in
  // memory, one with a write-ahead log). Throws SqlError.
  [[nodiscard]] std::optional<std::int64_t> change_counter() const;
  [[nodiscard]] bool is_in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
  void begin() { execute("BEGIN IMMEDIATE"); }
  void commit() { execute("COMMIT"); }
  // Never throws: what cannot be rolled back was rolled back by SQLite itself.
  void roll_back() noexcept;

  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::filesystem::path file_;
  std::unique_ptr<std::int64_t> steps_left_{};  // of all statements together; before handle_, which counts there
  std::unique_ptr<sqlite3, Close> handle_;
  std::unordered_map<const char*, Statement> kept_;  // after handle_: finalized before it closes
};

// Commits at `commit`, else rolls back.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.begin(); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (!is_done_) database_.roll_back();
  }
  void commit() {
    database_.commit();
    is_done_ = true;
  }

 private:
  Database& database_;
  bool is_done_ = false;
};

// The value of `work()`, or the Error of the SqlError that it threw.
template <class Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const SqlError& error) {
    return tl::unexpected(error.error);
  }
}

}  // namespace ngb::store::sql
