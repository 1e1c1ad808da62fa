// SPDX-License-Identifier: Apache-2.0
#include "store/cell_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "store/load_process.h"
#include "work/json_bounds.h"

namespace ngb::store {
namespace {

using work::Property;
using work::Role;

bool is_of_model(Role role) {
  return role == Role::model || role == Role::model_name || role == Role::model_fact || role == Role::batch;
}

// What results know of a model that is no property of a cell.
using Count = std::optional<std::uint64_t> work::ModelSummary::*;
constexpr std::array<std::pair<const char*, Count>, 3> kCounts{{{"parameters", &work::ModelSummary::parameters},
                                                                {"raw_bytes", &work::ModelSummary::raw_bytes},
                                                                {"encoded_bytes", &work::ModelSummary::encoded_bytes}}};

}  // namespace

std::string column_of(const Property& property) {
  constexpr std::array<std::pair<std::string_view, const char*>, 4> kOtherNames{
      {{"model", "label"}, {"model_family", "family"}, {"options", "options_json"}, {"settings", "settings_json"}}};
  if (property.read == nullptr) return {};
  const auto* const other = std::find_if(kOtherNames.begin(), kOtherNames.end(),
                                         [&](const auto& each) { return each.first == property.name; });
  return fmt::format("{}.{}", is_of_model(property.role) ? "model" : "cell",
                     other == kOtherNames.end() ? property.name : other->second);
}

const std::string& configuration_columns() {
  static const std::string kColumns = [] {
    std::vector<std::string> columns;
    for (const Property& each : work::properties()) {
      if (each.read != nullptr) columns.push_back(column_of(each));
    }
    for (const auto& [column, member] : kCounts) columns.emplace_back(column);
    return text::join(columns, ", ");
  }();
  return kColumns;
}

int configuration_column_count() {
  const auto all = work::properties();
  return static_cast<int>(std::count_if(all.begin(), all.end(), [](const auto& each) { return each.read != nullptr; }) +
                          std::ssize(kCounts));
}

work::Configuration configuration_in(const sql::Database& database, const sql::Statement& row, int first) {
  int column = first;
  work::Configuration of;
  for (const Property& each : work::properties()) {
    if (each.read == nullptr) continue;
    const bool is_json = each.kind == work::Kind::options;
    const std::string text = name_in(database, row, column++, is_json ? kMostOptionsBytes : kMostNameBytes);
    if (is_json) require_shallow(database, text);
    if (each.read(of, text)) continue;
    refuse_damaged(database,
                   fmt::format("the {} of a cell is \"{}\", which no study can say", each.name, text.substr(0, 100)));
  }
  if (!of.threads && of.compiler.threads_asked.empty()) refuse_damaged(database, "a cell has no threads");
  for (const auto& [name, member] : kCounts) {
    const std::int64_t count = row.integer(column++);
    if (count > 0) of.model.*member = static_cast<std::uint64_t>(count);
  }
  return of;
}

std::string name_in(const sql::Database& database, const sql::Statement& row, int column, std::size_t most_bytes) {
  std::string text = row.text(column);
  if (text.size() <= most_bytes) return text;
  refuse_damaged(database, fmt::format("a cell has a text of {} bytes, more than a study can say", text.size()));
}

void require_shallow(const sql::Database& database, const std::string& text) {
  constexpr work::JsonBounds kBounds{1'000'000, 100'000, 1'000'000, 64};
  if (Status shallow = work::check_bounds(text, kBounds); !shallow) refuse_damaged(database, shallow.error().what);
}

}  // namespace ngb::store
