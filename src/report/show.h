// SPDX-License-Identifier: Apache-2.0
// Formats what `ngb show` prints: results, in one of several formats.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "report/results.h"

namespace ngb::report {

struct ShowOptions {
  bool all = false;    // text and markdown: every metric, without a limit of width
  bool notes = false;  // text: every flag by its name, with what it means
  bool best = false;   // text: below the table, the best options of each compiler that has several
  int width = 100;     // text: columns of the terminal; the table leaves out its least important columns to fit
  int wrap = 0;        // text: lines around the table are broken at blanks to so many columns; 0: they are not
  bool color = false;  // text
};

// A format of `ngb show` is a file with its function, and a row of the table in formats.cpp.
struct Format {
  const char* name;     // the argument of --format: "json"
  const char* meaning;  // for `ngb show --help`
  std::string (*show)(const Results& results, const ShowOptions& options);
  // Only of a format that consists of a text and then of lines for each cell: these two, for results that come in
  // parts. Others have null.
  std::string (*begin)() = nullptr;
  std::string (*lines)(const Results& results) = nullptr;
};
std::span<const Format> formats();
// The Error names the nearest format, or lists all.
Result<const Format*> find_format(std::string_view name);

// Returns a table with a section for each device, model and batch size, and a row in it for each compiler. Notes below
// it explain the marks that occur, count the flags that are only to be taken note of, and say what to do about failures
// and which columns were left out.
std::string show_text(const Results& results, const ShowOptions& options);

}  // namespace ngb::report
