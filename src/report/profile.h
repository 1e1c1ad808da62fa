// SPDX-License-Identifier: Apache-2.0
// Profiles for planners: what `ngb profile` says of every configuration. All formats and docs/profile.md are made from
// one table of columns.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/results.h"

namespace ngb::report {

// What an hour of a device costs, in any currency, by the device's name.
using CostPerHour = std::map<std::string, double>;

// A value of a profile: a text, a number, a mapping (options), or null with the reason why it is unknown.
struct ProfileValue {
  nlohmann::json value{};
  std::optional<double> low{};  // 95 % interval, if the column has one
  std::optional<double> high{};
  std::string reason{};  // why there is no value
};

struct ProfileColumn {
  std::string name{};     // with its unit, as in JSON and CSV: "cold_start_s"
  std::string unit{};     // as in metrics/metric.h; "": a text or a mapping
  std::string meaning{};  // a formula, or what the text says
  std::string source{};   // of a metric: as in metrics/metric.h; else ""
  bool is_key = false;    // identifies the configuration, so that it has neither interval nor reason
  bool has_interval = false;
  // The cell must have everything that was measured of it (store::Detail::full).
  ProfileValue (*of)(const ProfileColumn& column, const store::CellData& cell, const Results& results,
                     const CostPerHour& costs) = nullptr;
};
std::span<const ProfileColumn> profile_columns();
// Returns the column with this name, which must exist.
const ProfileColumn& profile_column(std::string_view name);

// A configuration. `values` has one for each of profile_columns(), in their order.
struct ProfileRow {
  std::vector<ProfileValue> values{};
  std::size_t position = 0;    // of the cell, in the order of the study
  bool has_processes = false;  // some of its processes completed

  [[nodiscard]] const ProfileValue& at(std::string_view column) const;
};

// Returns the profile of one cell.
ProfileRow profile_row(const store::CellData& cell, const Results& results, const CostPerHour& costs);

struct ProfileOptions {
  int width = 100;
  bool color = false;
};
// A format of `ngb profile`.
struct ProfileFormat {
  const char* name;     // the argument of --format: "json"
  const char* meaning;  // for `ngb profile --help`
  std::string (*print)(const std::vector<ProfileRow>& rows, const ProfileOptions& options);
};
std::span<const ProfileFormat> profile_formats();

// Returns the table of columns for docs/profile.md.
std::string profile_columns_markdown();

}  // namespace ngb::report
