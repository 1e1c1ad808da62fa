// SPDX-License-Identifier: Apache-2.0
// Wraps the part of SQLite's C interface that this room needs. Failures throw SqlError inside the room; the room's
// public functions convert them into Errors with `guarded`.
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

// Explains a result code to a user, with advice. `detail` is SQLite's own message.
Error to_error(int code, std::string_view detail, const std::filesystem::path& file);

// Throws SqlError: the file is damaged; `what` says how.
[[noreturn]] void refuse_damaged(const std::filesystem::path& file, const std::string& what);

// Bytes that are no text.
struct Blob {
  std::string bytes;
};

class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql, std::filesystem::path file);

  // Binds the values to the parameters, in order.
  template <class... Values>
  Statement& bind(const Values&... values) {
    int index = 0;
    (bind_one(++index, values), ...);
    return *this;
  }
  // Binds the values and executes the statement to its end. Afterwards it can be run again.
  template <class... Values>
  void run(const Values&... values) {
    bind(values...);
    while (step()) {
    }
  }
  // Binds to the parameter `index`, the first of which is 1.
  template <class Value>
  void bind_at(int index, const Value& value) {
    bind_one(index, value);
  }
  // Binds the value of a column of another statement's row, of any type.
  void bind_column(int index, const Statement& row, int column) {
    check(sqlite3_bind_value(handle_.get(), index, sqlite3_column_value(row.handle_.get(), column)));
  }
  // Returns true if it has reached a row. Returns false at the end, where the statement is reset.
  bool step();
  void reset() { sqlite3_reset(handle_.get()); }

  [[nodiscard]] bool is_null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  // Throws SqlError if the value does not fit into an int, which happens in damaged files only.
  [[nodiscard]] int small(int column) const;
  [[nodiscard]] double real(int column) const { return sqlite3_column_double(handle_.get(), column); }
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::string bytes(int column) const;  // of a Blob
  // Does the same as Database::refuse.
  [[noreturn]] void refuse(const std::string& what) const { refuse_damaged(file_, what); }

 private:
  void bind_one(int index, std::int64_t value) { check(sqlite3_bind_int64(handle_.get(), index, value)); }
  void bind_one(int index, std::uint64_t value) { bind_one(index, static_cast<std::int64_t>(value)); }
  void bind_one(int index, std::uint32_t value) { bind_one(index, static_cast<std::int64_t>(value)); }
  void bind_one(int index, int value) { check(sqlite3_bind_int(handle_.get(), index, value)); }
  void bind_one(int index, bool value) { check(sqlite3_bind_int(handle_.get(), index, value ? 1 : 0)); }
  void bind_one(int index, double value) { check(sqlite3_bind_double(handle_.get(), index, value)); }
  void bind_one(int index, std::string_view value);
  void bind_one(int index, const Blob& value);
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
  // Opens the file with `flags` (SQLITE_OPEN_…). Throws SqlError. The settings are those that SQLite recommends for
  // files of unknown origin (https://sqlite.org/security.html): no function of the schema is trusted, views and
  // triggers do not run, sizes and depths are limited.
  Database(std::filesystem::path file, int flags);

  // Limits the steps of all statements from now on, together, to more than any undamaged file of this size needs. A
  // statement that exceeds the limit throws SqlError.
  void bound_steps(std::uint64_t file_bytes);

  // Throws SqlError: the file is damaged, because it has something that ngb never writes.
  [[noreturn]] void refuse(const std::string& what) const { refuse_damaged(file_, what); }

  void execute(const std::string& sql);
  [[nodiscard]] Statement statement(std::string_view sql) const { return {handle_.get(), sql, file_}; }
  // Returns a statement that is prepared at the first call and kept. `sql` must be a string literal, because its
  // address identifies the statement.
  Statement& kept(const char* sql);
  // Returns the first column of the first row, or 0 if there is no row.
  [[nodiscard]] std::int64_t integer(std::string_view sql) const;

  [[nodiscard]] std::int64_t last_key() const { return sqlite3_last_insert_rowid(handle_.get()); }
  [[nodiscard]] bool changed() const { return sqlite3_changes(handle_.get()) > 0; }
  [[nodiscard]] bool is_in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
  void begin() { execute("BEGIN IMMEDIATE"); }
  void begin_to_read() { execute("BEGIN"); }
  void commit() { execute("COMMIT"); }
  // Rolls back the open transaction, if SQLite itself has not done so. Never throws.
  void roll_back() noexcept;

  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::filesystem::path file_;
  std::unique_ptr<std::int64_t> steps_left_{};  // declared before handle_, whose progress handler writes here
  std::unique_ptr<sqlite3, Close> handle_;
  std::unordered_map<const char*, Statement> kept_;  // declared after handle_: finalized before it closes
};

// Opens a transaction, which is rolled back at the end of the scope unless `commit` was called.
class Transaction {
 public:
  enum class Kind { write, read };  // a read transaction sees one state of the file
  explicit Transaction(Database& database, Kind kind = Kind::write) : database_(database) {
    kind == Kind::read ? database_.begin_to_read() : database_.begin();
  }
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

// Returns the value of `work()`, which sees one state of the file, or runs within the open transaction.
template <class Work>
auto in_one_state(Database& database, const Work& work) {
  if (database.is_in_transaction()) return work();
  Transaction one_state(database, Transaction::Kind::read);
  auto result = work();
  one_state.commit();
  return result;
}

// Returns the value of `work()`, or the Error of the SqlError that it threw.
template <class Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const SqlError& error) {
    return tl::unexpected(error.error);
  }
}

}  // namespace ngb::store::sql
