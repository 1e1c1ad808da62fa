// SPDX-License-Identifier: Apache-2.0
// Finds a format in a table of formats by its name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"

namespace ngb::report {

// `Row` has a member `name`. The Error names the nearest format, or lists all.
template <class Row>
Result<const Row*> find_named(std::span<const Row> table, std::string_view name) {
  std::vector<std::string> names;
  for (const Row& row : table) {
    if (row.name == name) return &row;
    names.emplace_back(row.name);
  }
  const auto near = text::nearest(name, names);
  return fail(near ? "unknown format, did you mean " + *near + "?"
                   : "unknown format, expected one of: " + text::join(names, ", "),
              std::string(name));
}

}  // namespace ngb::report
