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
  // Returns columns, rows and remarks, or the reason why there are no rows; not complete (table.h).
  Document (*make)(const Input& input);
};
std::span<const PaperTable> paper_tables();

// Returns all of them, in the order of the paper.
std::vector<Document> make_all(const Input& input);

// The table of each file of that name.
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

}  // namespace ngb::report::tables
