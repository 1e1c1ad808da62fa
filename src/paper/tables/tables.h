// SPDX-License-Identifier: Apache-2.0
// The paper's tables, made from results. A new table is a function, declared below, and a row in tables.cpp.
#pragma once

#include <string>
#include <vector>

#include "paper/tables/input.h"
#include "report/document.h"

namespace ngb::paper::tables {

using report::Column;
using report::Document;
using report::empty_entry;
using report::Entry;
using report::Kind;
using report::number_entry;
using report::Row;
using report::Section;
using report::text_entry;

// Makes documents for a publication: a table of texts and numbers, each with its footnotes.

// The footnote of rows that were copied from the paper. A row is published if it has this footnote.
inline constexpr const char* kPublishedNote = "Published in the paper, not measured here.";

// Returns a column whose name in CSV has its unit: "throughput_b2_4_per_s".
Column column(const std::string& name, std::string heading, Kind kind);

// Adds a row with an entry for each column.
void add_row(Document& document, Row row);

// Adds what CSV has beside the columns: where a row is from, if some are published, and reasons and notes as one text.
void complete(Document& document);

// Returns all of them, in the order of the paper.
std::vector<Document> make_all(const Input& input);

// Each makes one of these tables.
Document devices(const Input& input);
Document compilers(const Input& input);
Document compile_times(const Input& input);
Document models(const Input& input);
Document blocks(const Input& input);
Document families(const Input& input);
Document conv_depth(const Input& input);
Document mha_depth(const Input& input);

// The recipes whose stacks the tables of blocks and depths are about.
inline constexpr const char* kConvBlock = "conv_block";
inline constexpr const char* kMhaBlock = "mha_block";

}  // namespace ngb::paper::tables
