// SPDX-License-Identifier: Apache-2.0
// The paper's tables, made from results. A new table is a function, declared below, and a row in paper_tables.cpp.
#pragma once

#include <span>
#include <vector>

#include "report/tables/input.h"
#include "report/tables/table.h"

namespace ngb::report::tables {

struct PaperTable {
  const char* name;  // of its file
  const char* title;
  // Returns columns, rows and remarks, or the reason why there are no rows.
  Table (*make)(const Input& input);
};
std::span<const PaperTable> paper_tables();

// Returns all of them, in the order of the paper.
std::vector<Table> make_all(const Input& input);

// The table of each file of that name.
Table devices(const Input& input);
Table compilers(const Input& input);
Table compile_times(const Input& input);
Table models(const Input& input);
Table blocks(const Input& input);
Table families(const Input& input);
Table conv_depth(const Input& input);
Table mha_depth(const Input& input);

// The recipes whose stacks the tables of blocks and depths are about.
inline constexpr const char* kConvBlock = "conv_block";
inline constexpr const char* kMhaBlock = "mha_block";

// The footnote of values that were copied from the paper.
inline constexpr const char* kPublishedNote = "Published in the paper, not measured here.";

}  // namespace ngb::report::tables
