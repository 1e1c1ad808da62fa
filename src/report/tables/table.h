// SPDX-License-Identifier: Apache-2.0
// Makes documents for a publication: a table of texts and numbers, each with its footnotes.
#pragma once

#include <string>

#include "report/document.h"

namespace ngb::report::tables {

// The footnote of rows that were copied from the paper, which are those that have it.
inline constexpr const char* kPublishedNote = "Published in the paper, not measured here.";

// Returns a column with the same name in CSV and JSON, which has its unit: "throughput_b2_4_per_s".
Column column(const std::string& name, std::string heading, Kind kind);

// Adds a row with an entry for each column.
void add_row(Document& document, Row row);

// Adds what CSV and JSON have beside the columns: where a row is from, and the reasons and notes of its entries. JSON
// is
// {"name", "title", "columns": [{"name", "heading", "kind"}], "remarks", "rows": [{"is_published", "values": {column:
// text, number or null}, "reasons": {column: why it is null}, "notes": {column: [texts]}}]}; the last column of CSV has
// reasons and notes as one text.
void complete(Document& document);

}  // namespace ngb::report::tables
