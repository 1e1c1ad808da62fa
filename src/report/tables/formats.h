// SPDX-License-Identifier: Apache-2.0
// The formats of `ngb report --tables`. A format is a file with its function, and a row of the table in formats.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "report/tables/table.h"

namespace ngb::report::tables {

struct Format {
  const char* name;                          // the argument of --tables: "latex"
  const char* ending;                        // of its files: ".tex"
  const char* meaning;                       // for `ngb report --help`
  std::string (*write)(const Table& table);  // null: a program of its own writes the files (parquet.h)
};
std::span<const Format> formats();
// Returns an error that names the nearest format, or lists all.
Result<const Format*> find_format(std::string_view name);

// A line of column names, then a line for each row, as in RFC 4180. Numbers are unrounded. The last column has the
// reasons for empty fields and the other footnotes. A text that a spreadsheet would compute has an apostrophe before
// it.
std::string to_csv(const Table& table);
// A table in GitHub's Markdown, with footnotes below it.
std::string to_markdown(const Table& table);
// A floating table for the packages booktabs and siunitx. Every text is escaped; a character that pdfTeX's default
// fonts lack becomes [U+05D0].
std::string to_latex(const Table& table);
// {"name", "title", "columns": [{"name", "heading", "kind"}], "remarks", "rows": [{"is_published", "values": {column:
// text, number or null}, "reasons": {column: why it is null}, "notes": {column: [texts]}}]}
std::string to_json(const Table& table);

}  // namespace ngb::report::tables
