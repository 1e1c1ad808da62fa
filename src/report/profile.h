// SPDX-License-Identifier: Apache-2.0
// Profiles for planners: what `ngb profile` says of every configuration. All formats and docs/profile.md are made from
// one table of columns.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/formats.h"
#include "report/results.h"

namespace ngb::report {

// What an hour of a device costs, in any currency, by the device's name.
using CostPerHour = std::map<std::string, double>;

struct ProfileColumn {
  Column column{};        // its name in CSV and JSON has its unit: "cold_start_s"
  std::string meaning{};  // a formula, or what the text says
  std::string source{};   // of a metric: as in metrics/metric.h; else ""
  // The cell must have everything that was measured of it (store::Detail::full).
  std::function<Entry(const store::CellData& cell, const Results& results, const CostPerHour& costs)> of{};

  [[nodiscard]] const std::string& name() const { return column.csv; }
};
std::span<const ProfileColumn> profile_columns();

// A configuration.
struct ProfileRow {
  Row row{};                   // with an entry for each of profile_columns(), in their order
  std::size_t position = 0;    // of the cell, in the order of the study
  bool has_processes = false;  // some of its processes completed
  std::string workload{};      // as titles have it
  bool is_identity = false;    // the compiler

  [[nodiscard]] const Entry& at(std::string_view column) const;
};

// Returns the profile of one cell.
ProfileRow profile_row(const store::CellData& cell, const Results& results, const CostPerHour& costs);

// The formats of `ngb profile`.
const FormatNames& profile_formats();

// Returns the rows as what `ngb profile` prints. JSON also has the columns: {"columns": [{"name", "unit", "meaning",
// "source", "has_interval"}], "rows": […]}.
Document profile_document(std::vector<ProfileRow> rows);

// Returns the table of columns for docs/profile.md.
std::string profile_columns_markdown();

}  // namespace ngb::report
