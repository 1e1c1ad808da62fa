// SPDX-License-Identifier: Apache-2.0
// A table for a publication: rows of texts and numbers, each with what stands beside it and its footnotes.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"

namespace ngb::report::tables {

// A deviation, or a low and a high bound, belongs to the number in the column before it: tables for people show it
// there ("52.1 ± 1.2", "1.02 [0.98, 1.06]"), CSV and JSON as a column of its own.
enum class Kind { text, count, number, deviation, low, high };

struct Column {
  std::string name{};     // in CSV and JSON, with its unit: "throughput_b2_4_per_s"
  std::string heading{};  // for people
  Kind kind = Kind::text;
};

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
