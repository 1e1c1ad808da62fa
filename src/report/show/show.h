// SPDX-License-Identifier: Apache-2.0
// What `ngb show` prints: results, in one of several formats.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/columns.h"
#include "report/formats.h"
#include "report/results.h"
#include "report/write/json.h"

namespace ngb::report {

struct ShowOptions {
  std::vector<NumberColumn> columns{};  // text and markdown: these in place of the usual ones; empty: the usual ones
  bool all = false;                     // text and markdown: every metric, without a limit of width
  bool notes = false;                   // text: every flag by its name, with what it means
  bool best = false;                    // text: below the table, the best options of each compiler that has several
  int width = 100;     // text: columns of the terminal; the table leaves out its least important columns to fit
  int wrap = 0;        // text: lines around the table are broken at blanks to so many columns; 0: they are not
  bool color = false;  // text
};

// The formats of `ngb show`.
const FormatNames& show_formats();

// Prints the results in a format.
void show(const Format& format, const Results& results, const ShowOptions& options, const Print& print);

// Returns a table with a section for each device, model and batch size, and a row in it for each compiler. Notes below
// it explain the marks that occur, count the flags that are only to be taken note of, and say what to do about failures
// and which columns were left out.
std::string show_text(const Results& results, const ShowOptions& options);

// Prints {"cells": [{…, "status", "failure", "flags", "baseline": {"cell_id", "compiler_label", "compiler_version",
// "precision"} or null, "metrics": {name: {"value", "low", "high"} or {"value": null, "reason"}}}], "baseline":
// "identity", "best_options": [as in best_options.h], "environment_differences": [as in environments.h], "allocator",
// "metrics": [the rows of the table of metrics], "series" and "conclusions" as in series.h}. A ratio of a bf16 or f16
// cell to its baseline also has "over", the baseline's precision.
void show_json(const Results& results, const Print& print);

// The same of results that come in parts: `each` calls `use` with the JSON of each cell. What all cells together say is
// then null: "best_options", "series" and "conclusions".
void show_json(const Results& results, const std::function<void(const UseJson& use)>& each, const Print& print);
std::vector<nlohmann::json> cells_json(const Results& results);

// Returns a line of column names, then a line for each cell with every metric; or the two parts, for results that come
// in parts.
std::string show_csv(const Results& results);
std::string show_csv_header();
std::string show_csv_lines(const Results& results);

}  // namespace ngb::report
