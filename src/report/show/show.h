// SPDX-License-Identifier: Apache-2.0
// What `ngb show` prints: results, in one of several formats.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "metrics/limit.h"
#include "report/columns.h"
#include "report/formats.h"
#include "report/results.h"

namespace ngb::report {

struct ShowOptions {
  std::vector<NumberColumn> columns{};  // text and markdown: these in place of the usual ones; empty: the usual ones
  bool all = false;                     // text and markdown: every metric, without a limit of width
  bool notes = false;                   // text: every flag by its name, with what it means
  bool best = false;                    // text: below the table, the best options of each compiler that has several
  int width = 100;            // text: columns of the terminal; the table leaves out its least important columns to fit
  int wrap = 0;               // text: lines around the table are broken at blanks to so many columns; 0: they are not
  bool color = false;         // text
  metrics::PeakOf peak_of{};  // text: of models that generate tokens, the share of what the machine reads; null: none
};

// The formats of `ngb show`.
const FormatNames& show_formats();

// Calls `use` with results part by part, in the order in which their cells are shown.
using UsePart = std::function<void(const Results& part)>;
using EachPart = std::function<ngb::Status(const UsePart& use)>;

// Prints results whose cells come in parts. `whole` has what all of them have in common. Returns the error of `each`;
// rows may have been printed then.
//
// The text is a table with a section for each device, model and batch size, and a row in it for each compiler. Notes
// below it explain the marks that occur, count the flags that are only to be taken note of, and say what to do about
// failures and which columns were left out. CSV has a line of column names, then a line for each cell with every
// metric. JSON is {"cells": [{…, "status", "failure", "flags", "baseline": {"cell_id", "compiler_label",
// "compiler_version", "precision"} or null, "metrics": {name: {"value", "low", "high"} or {"value": null, "reason"}}}],
// "baseline": "identity", "best_options": [as in best_options.h], "environment_differences": [as in environments.h],
// "allocator", "metrics": [the rows of the table of metrics], "series" and "conclusions" as in series.h}. A ratio of a
// bf16 or f16 cell to its baseline also has "over", the baseline's precision. "best_options", "series" and
// "conclusions" are null if they are not known (Results::come_in_parts). The formats of write/watched.h have the
// columns of the table, or those that are asked for.
ngb::Status show(const Format& format, const Results& whole, const EachPart& each, const ShowOptions& options,
                 const Print& print);
// Prints results that are in memory.
void show(const Format& format, const Results& results, const ShowOptions& options, const Print& print);

// Return the results as text and as CSV.
std::string show_text(const Results& results, const ShowOptions& options);
std::string show_csv(const Results& results);

}  // namespace ngb::report
