// SPDX-License-Identifier: Apache-2.0
// The formats in which commands print. A format is a file of write/ and a row of the table in formats.cpp; a command
// offers some of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/document.h"

namespace ngb::report {

struct Format {
  const char* name;     // the argument of --format: "json"
  const char* ending;   // of files: ".json"
  const char* meaning;  // for --help
  bool is_for_people;   // its columns are those of people
  void (*print)(const Document& document, const Screen& screen, const Print& print);

  [[nodiscard]] std::string write(const Document& document, const Screen& screen) const;
  [[nodiscard]] bool is(std::string_view other) const { return name == other; }
};
std::span<const Format> formats();

// Names of formats that a command offers.
using FormatNames = std::vector<std::string>;
// The formats of commands whose text is no table.
const FormatNames& text_and_json();
// Returns the format of this name. The Error names the nearest of those that are offered, or lists all.
Result<const Format*> find_format(std::string_view name, const FormatNames& offered);
// The formats of the tables of a publication.
const FormatNames& table_formats();
// Returns a line for each, for --help.
std::string help_on_formats(const FormatNames& offered);

}  // namespace ngb::report
