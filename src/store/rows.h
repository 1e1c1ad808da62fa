// SPDX-License-Identifier: Apache-2.0
// A record as rows of its table: a column for each field, by the field's name, so that a value cannot get into the
// column of another. A Known has two columns: its value, and why it is unknown. A word stands as text. All functions
// throw SqlError.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "base/shared_text.h"
#include "samples/codec.h"
#include "samples/environment.h"
#include "samples/process_result.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace ngb::store::sql {

// Resets a statement at the end of the scope, also if a row could not be used.
class Resetting {
 public:
  explicit Resetting(Statement& statement) : statement_(statement) {}
  Resetting(const Resetting&) = delete;
  Resetting& operator=(const Resetting&) = delete;
  ~Resetting() { statement_.reset(); }

 private:
  Statement& statement_;
};

// How a value of type T stands in columns: `count` of them from `column` on, or bound from the parameter `index` on.
template <class T>
struct Columns {
  static constexpr int count = 1;
  static std::string names(const std::string& name) { return name; }
  static void bind(Statement& row, int index, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      row.bind_at(index, name(value));
    } else if constexpr (std::is_same_v<T, SharedText>) {
      row.bind_at(index, value.str());
    } else {
      row.bind_at(index, value);
    }
  }
  static T read(const Statement& row, int column) {
    if constexpr (std::is_enum_v<T>) {
      const Result<T> word = work::Codec<T>::parse(row.text(column));
      if (!word) row.refuse(word.error().what);
      return *word;
    } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, SharedText>) {
      return row.text(column);
    } else if constexpr (std::is_same_v<T, double>) {
      return row.real(column);
    } else if constexpr (std::is_same_v<T, bool>) {
      return row.small(column) != 0;
    } else if constexpr (std::is_same_v<T, int>) {
      return row.small(column);
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      // One out of range, of a damaged file, becomes 0 or the maximum.
      const std::int64_t most = std::numeric_limits<std::uint32_t>::max();
      return static_cast<std::uint32_t>(std::clamp<std::int64_t>(row.integer(column), 0, most));
    } else {
      return static_cast<T>(row.integer(column));
    }
  }
};
template <class T>
struct Columns<std::optional<T>> : Columns<T> {
  static void bind(Statement& row, int index, const std::optional<T>& value) { row.bind_at(index, value); }
  static std::optional<T> read(const Statement& row, int column) {
    if (row.is_null(column)) return std::nullopt;
    return Columns<T>::read(row, column);
  }
};
template <class T>
struct Columns<Known<T>> {
  static constexpr int count = 2;
  static std::string names(const std::string& name) {
    return name + ", " + (name == "value" ? "" : name + "_") + "unknown_reason";
  }
  static void bind(Statement& row, int index, const Known<T>& known) {
    row.bind_at(index, known.value);
    row.bind_at(index + 1, known.value ? std::nullopt : std::optional(known.reason));
  }
  static Known<T> read(const Statement& row, int column) {
    if (row.is_null(column)) return Known<T>::unknown(row.text(column + 1));
    return Known<T>::of(Columns<T>::read(row, column));
  }
};

// The columns of all fields: "wall_ns, cpu_ns, cpu_ns_unknown_reason".
template <IsRecord Record>
std::string names_of_columns() {
  std::string names;
  for_each_field<Record>([&names]<class Value>(const Field<Record, Value>& field) {
    names += (names.empty() ? "" : ", ") + Columns<Value>::names(field.name);
  });
  return names;
}
template <IsRecord Record>
inline constexpr int kColumns = Record::fields(
    []<class... Value>(const Field<Record, Value>&... /*field*/) { return (Columns<Value>::count + ...); });

// Binds the fields to the parameters from `index` on, the first of which is 1.
template <IsRecord Record>
void bind_record(Statement& row, int index, const Record& record) {
  for_each_field<Record>([&]<class Value>(const Field<Record, Value>& field) {
    Columns<Value>::bind(row, index, record.*field.member);
    index += Columns<Value>::count;
  });
}
// Returns the record whose fields stand in the columns from `column` on, the first of which is 0.
template <IsRecord Record>
Record read_record(const Statement& row, int column = 0) {
  Record record;
  for_each_field<Record>([&]<class Value>(const Field<Record, Value>& field) {
    record.*field.member = Columns<Value>::read(row, column);
    column += Columns<Value>::count;
  });
  return record;
}

// A table whose rows are records that belong to one owner: the column of the owner's key, and the one that says where a
// record stands among the owner's; null: an owner has one.
struct Table {
  const char* name;
  const char* owner;
  const char* position;
  const char* on_conflict = "";
};
template <class Record>
inline constexpr Table kTable{};
template <>
inline constexpr Table kTable<samples::PhaseUse>{"phase", "process_key", "position"};
template <>
inline constexpr Table kTable<samples::Repetition>{"repetition", "process_key", "repetition_index"};
template <>
inline constexpr Table kTable<samples::Reading>{"reading", "process_key", "position"};
template <>
inline constexpr Table kTable<samples::InputAgreement>{"agreement", "process_key", "position"};
template <>
inline constexpr Table kTable<samples::Neighbour>{"neighbour", "process_key", "position"};
template <>
inline constexpr Table kTable<samples::Check>{"output_check", "process_key", nullptr};
template <>
inline constexpr Table kTable<samples::Failure>{"failure", "process_key", nullptr};
template <>
inline constexpr Table kTable<samples::Provenance>{"made_with", "made_with_key", nullptr};
template <>
inline constexpr Table kTable<DerivedValue>{"derived", "cell_key", "position"};
template <>
inline constexpr Table kTable<SeriesValue>{"series", "part_key", "position"};
template <>
inline constexpr Table kTable<Conclusion>{"conclusion", "part_key", "position"};
template <>
inline constexpr Table kTable<samples::EnvironmentEntry>{"environment_entry", "environment_key", nullptr,
                                                         " ON CONFLICT DO NOTHING"};

// "INSERT INTO table (keys, columns of all fields) VALUES (?, …)"
template <IsRecord Record>
std::string text_of_insert(const std::string& table, const std::string& keys, int count_of_keys) {
  std::string values = "?";
  for (int i = 1; i < count_of_keys + kColumns<Record>; ++i) values += ", ?";
  return "INSERT INTO " + table + " (" + keys + ", " + names_of_columns<Record>() + ") VALUES (" + values + ")";
}

// Writes a record of an owner as a row.
template <IsRecord Record>
void insert(Database& database, std::int64_t owner, const Record& record) {
  constexpr Table table = kTable<Record>;
  static const std::string text = text_of_insert<Record>(table.name, table.owner, 1) + table.on_conflict;
  Statement& row = database.kept(text.c_str());
  row.bind(owner);
  bind_record(row, 2, record);
  row.run();
}
// Writes the records of an owner as rows, in their order.
template <IsRecord Record>
void insert(Database& database, std::int64_t owner, const std::vector<Record>& records) {
  constexpr Table table = kTable<Record>;
  static const std::string keys = std::string(table.owner) + ", " + table.position;
  static const std::string text = text_of_insert<Record>(table.name, keys, 2);
  Statement& row = database.kept(text.c_str());
  std::int64_t position = 0;
  for (const Record& record : records) {
    row.bind(owner, position++);
    bind_record(row, 3, record);
    row.run();
  }
}
// Appends the records of an owner, in their order.
template <IsRecord Record>
void load(Database& database, std::int64_t owner, std::vector<Record>& records) {
  constexpr Table table = kTable<Record>;
  static const std::string text = "SELECT " + names_of_columns<Record>() + " FROM " + table.name + " WHERE " +
                                  table.owner + " = ? ORDER BY " + table.position;
  Statement& row = database.kept(text.c_str());
  const Resetting resetting(row);
  row.bind(owner);
  while (row.step()) records.push_back(read_record<Record>(row));
}
// Returns the only record of an owner; nothing if it has none.
template <IsRecord Record>
std::optional<Record> record_of(Database& database, std::int64_t owner) {
  constexpr Table table = kTable<Record>;
  static const std::string text =
      "SELECT " + names_of_columns<Record>() + " FROM " + table.name + " WHERE " + table.owner + " = ?";
  Statement& row = database.kept(text.c_str());
  const Resetting resetting(row);
  row.bind(owner);
  return row.step() ? std::optional(read_record<Record>(row)) : std::nullopt;
}

}  // namespace ngb::store::sql
