// SPDX-License-Identifier: Apache-2.0
#include "report/tables/formats.h"

#include <array>

#include "base/text.h"

namespace ngb::report::tables {
namespace {

// name, ending, meaning, write
constexpr std::array kFormats{
    Format{"csv", ".csv", "numbers unrounded, each in a column of its own", to_csv},
    Format{"md", ".md", "tables for GitHub", to_markdown},
    Format{"latex", ".tex", "tables for booktabs and siunitx, and numbers.tex with a command for each number",
           to_latex},
    Format{"json", ".json", "numbers unrounded, with the reason for each that is missing", to_json},
    Format{"parquet", ".parquet", "the columns of csv with their types; needs: ngb toolchain install parquet", nullptr},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

Result<const Format*> find_format(std::string_view name) {
  std::vector<std::string> names;
  for (const Format& format : kFormats) {
    if (format.name == name) return &format;
    names.emplace_back(format.name);
  }
  return fail("unknown format, expected one of: " + text::join(names, ", "), std::string(name));
}

}  // namespace ngb::report::tables
