// SPDX-License-Identifier: Apache-2.0
#include "report/tables/table.h"

#include <algorithm>
#include <cmath>

namespace ngb::report::tables {

Entry number_entry(const std::optional<double>& number, std::string reason) {
  if (!number) return empty_entry(std::move(reason));
  if (!std::isfinite(*number)) return empty_entry("not a finite number");
  return {.number = number};
}

bool has_published_rows(const Table& table) {
  return std::any_of(table.rows.begin(), table.rows.end(), [](const Row& row) { return row.is_published; });
}

}  // namespace ngb::report::tables
