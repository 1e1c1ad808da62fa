// SPDX-License-Identifier: Apache-2.0
// A table for a publication: rows of texts and numbers, each with what stands beside it and its footnotes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ngb::report::tables {

// A deviation, or a low and a high bound, belongs to the number in the column before it: tables for people show it
// there ("52.1 ± 1.2", "1.02 [0.98, 1.06]"), CSV and JSON as a column of its own.
enum class Kind { text, count, number, deviation, low, high };

struct Column {
  std::string name{};     // in CSV and JSON, with its unit: "throughput_b2_4_per_s"
  std::string heading{};  // for people
  Kind kind = Kind::text;
};

// A field of a row: a text, a number, or neither.
struct Entry {
  std::string text{};
  std::optional<double> number{};
  std::string reason{};              // why there is no value; "" if the field is meant to be empty
  std::vector<std::string> notes{};  // on the value

  [[nodiscard]] bool is_empty() const { return text.empty() && !number; }
};

inline Entry text_entry(std::string text) { return {.text = std::move(text)}; }
inline Entry empty_entry(std::string reason) { return {.reason = std::move(reason)}; }
// Returns an empty entry with the reason if there is no finite number.
Entry number_entry(const std::optional<double>& number, std::string reason);

struct Row {
  std::vector<Entry> entries{};  // one for each column
  bool is_published = false;     // copied from the paper, not measured
};

struct Table {
  std::string name{};  // of its file: "table6_families"
  std::string title{};
  std::vector<Column> columns{};
  std::vector<Row> rows{};
  std::vector<std::string> remarks{};  // on the whole table
  std::string why_empty{};             // why it has no rows
};

// Returns whether any row is copied from the paper.
bool has_published_rows(const Table& table);
// Returns "published" or "measured".
const char* origin_of(const Row& row);
// Returns the reasons for empty fields and the notes of a row as one text: "cpu_percent: no ticks; ratio: …".
std::string notes_of(const Table& table, const Row& row);

}  // namespace ngb::report::tables
