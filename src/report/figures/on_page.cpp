// SPDX-License-Identifier: Apache-2.0
#include "report/figures/on_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "report/figures/specification.h"

namespace ngb::report::figures {
namespace {

using nlohmann::ordered_json;

// Of a cell's repetitions, the page draws at most this many: every n-th.
constexpr std::size_t kMostRepetitionsOfAPanel = 200;

// Returns a number with seven significant digits.
page::Field shown_field(const Row& row, const std::string& column) {
  const auto value = row.find(column);
  if (value == row.end() || value->is_null()) return {};
  if (value->is_string()) return {value->get<std::string>(), false};
  return {value->is_number_float() ? fmt::format("{:.7g}", value->get<double>()) : value->dump(), true};
}

void add_table(page::Figure& figure, const ordered_json& rows) {
  for (const ordered_json& row : rows) {
    std::vector<page::Field> fields;
    for (const std::string& column : figure.columns) fields.push_back(shown_field(row, column));
    figure.rows.push_back(std::move(fields));
  }
}

// The panels of a figure and how many of their rows the page draws.
class Panels {
 public:
  Panels(const ordered_json& rows, bool are_repetitions, std::size_t most) {
    std::vector<std::string> order;
    for (const ordered_json& row : rows) {
      const std::string panel = panel_of(row);
      if (++sizes_[panel] == 1) order.push_back(panel);
    }
    if (are_repetitions) most_ = kMostRepetitionsOfAPanel;
    std::size_t total = 0;
    for (const std::string& panel : order) {
      total += sizes_[panel] / every(panel);
      if (!drawn_.empty() && total > most) break;
      drawn_.insert(panel);
    }
  }

  // Is asked for each row, in their order.
  bool draws(const ordered_json& row) {
    const std::string panel = panel_of(row);
    return drawn_.contains(panel) && seen_[panel]++ % every(panel) == 0;
  }

 private:
  static std::string panel_of(const ordered_json& row) { return row.at("panel").get<std::string>(); }
  [[nodiscard]] std::size_t every(const std::string& panel) const {
    return most_ == 0 ? 1 : std::max<std::size_t>(1, (sizes_.at(panel) + most_ - 1) / most_);
  }

  std::map<std::string, std::size_t> sizes_{};
  std::map<std::string, std::size_t> seen_{};
  std::set<std::string> drawn_{};
  std::size_t most_ = 0;  // rows of a panel; 0: all
};

// Returns rows as {"columns": […], "rows": [[…], …]}. A value that is that of the row above is [], an unknown one null.
ordered_json packed(const ordered_json& rows, const std::vector<std::string>& columns) {
  ordered_json made{{"columns", columns}, {"rows", ordered_json::array()}};
  ordered_json above(columns.size(), nullptr);
  for (const ordered_json& row : rows) {
    ordered_json& of_row = made["rows"].emplace_back(ordered_json::array());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto found = row.find(columns[i]);
      ordered_json value = found == row.end() ? ordered_json() : *found;
      if (value.is_number_float()) value = std::stod(fmt::format("{:.7g}", value.get<double>()));
      const bool is_repeated = !value.is_null() && value == above[i];
      if (!is_repeated) above[i] = value;
      of_row.push_back(is_repeated ? ordered_json::array() : std::move(value));
    }
  }
  return made;
}

// Returns what rows have beside the figure's columns: where their marks are drawn.
std::vector<std::string> places_of_marks(const ordered_json& rows, const std::vector<std::string>& columns) {
  std::vector<std::string> places;
  for (const char* const place : {"at", "low_at", "high_at", "shared_low", "shared_high"}) {
    const bool has_it = std::find(columns.begin(), columns.end(), place) == columns.end() &&
                        std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.contains(place); });
    if (has_it) places.emplace_back(place);
  }
  return places;
}

// Returns the rows of the panels that are drawn.
ordered_json drawn_on_page(const ordered_json& rows, const std::vector<std::string>& columns, std::size_t most) {
  const bool are_repetitions = std::find(columns.begin(), columns.end(), "repetition") != columns.end();
  Panels panels(rows, are_repetitions, most);
  ordered_json drawn = ordered_json::array();
  for (const ordered_json& row : rows) {
    if (panels.draws(row)) drawn.push_back(row);
  }
  return drawn;
}

}  // namespace

page::Figure on_page(const Made& made, const MostRows& most) {
  ordered_json whole = json_text::parse_ordered(made.specification);
  const ordered_json rows = whole.at("datasets").at("rows");
  whole.erase("datasets");
  page::Figure figure{.name = made.figure->name,
                      .title = made.figure->title,
                      .reading = reading_of(*made.figure, made.remark),
                      .columns = text::split(made.figure->columns, ' ')};
  figure.section = made.figure->section;
  figure.section_reading = made.figure->section_reading;
  figure.has_all_rows = rows.size() == made.rows && rows.size() <= most.in_table;
  const std::vector<std::string> places = places_of_marks(rows, figure.columns);
  if (figure.has_all_rows) {
    add_table(figure, rows);
    whole["datasets"]["places"] = packed(rows, places);
  } else {
    const ordered_json drawn = drawn_on_page(rows, figure.columns, most.drawn);
    std::vector<std::string> columns = figure.columns;
    columns.insert(columns.end(), places.begin(), places.end());
    whole["datasets"]["drawn"] = packed(drawn, columns);
    if (drawn.size() < rows.size()) {
      figure.reading +=
          fmt::format(" {} of {} rows are drawn here; ngb report RESULTS --figures svg draws more of them.",
                      drawn.size(), rows.size());
    }
  }
  figure.specification = json_text::dump_ascii(whole);
  return figure;
}

}  // namespace ngb::report::figures
