// SPDX-License-Identifier: Apache-2.0
#include "report/tables/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace ngb::report::tables {

bool has_published_rows(const Table& table) {
  return std::any_of(table.rows.begin(), table.rows.end(), [](const Row& row) { return row.is_published; });
}

const char* origin_of(const Row& row) { return row.is_published ? "published" : "measured"; }

std::string notes_of(const Table& table, const Row& row) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < row.entries.size(); ++i) {
    const Entry& entry = row.entries[i];
    const std::string& column = table.columns[i].name;
    if (entry.is_empty() && !entry.reason.empty()) all.push_back(fmt::format("{}: {}", column, entry.reason));
    for (const std::string& note : entry.notes) all.push_back(fmt::format("{}: {}", column, note));
  }
  return text::join(all, "; ");
}

}  // namespace ngb::report::tables
