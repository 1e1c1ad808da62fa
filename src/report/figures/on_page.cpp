// SPDX-License-Identifier: Apache-2.0
#include "report/figures/on_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "report/figures/specification.h"

namespace ngb::report::figures {
namespace {

using nlohmann::ordered_json;

// Text is laid out for a wide font, because the reader's machine may have no narrower one.
constexpr const char* kFont = "DejaVu Sans, Verdana, Liberation Sans, Arial, sans-serif";

// Returns a number with seven significant digits.
page::Field shown_field(const Row& row, const std::string& column) {
  const auto value = row.find(column);
  if (value == row.end() || value->is_null()) return {};
  if (value->is_string()) return {value->get<std::string>(), false};
  return {value->is_number_float() ? fmt::format("{:.7g}", value->get<double>()) : value->dump(), true};
}

void add_table(page::Figure& figure, const ordered_json& rows, std::size_t most_rows) {
  const std::size_t shown = std::min(rows.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<page::Field> fields;
    for (const std::string& column : figure.columns) fields.push_back(shown_field(rows[i], column));
    figure.rows.push_back(std::move(fields));
  }
}

// The panels of a figure and how many of their rows the page draws.
class Panels {
 public:
  Panels(const ordered_json& rows, bool are_repetitions) {
    std::vector<std::string> order;
    for (const ordered_json& row : rows) {
      const std::string panel = panel_of(row);
      if (++sizes_[panel] == 1) order.push_back(panel);
    }
    if (are_repetitions) most_ = kMostRepetitionsOfAnImage;
    std::size_t total = 0;
    for (const std::string& panel : order) {
      total += sizes_[panel] / every(panel);
      if (!drawn_.empty() && total > kMostRowsOfAnImage) break;
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

// Returns the SVG with at most two decimals in its tags: nobody sees a hundredth of a pixel. Texts keep theirs.
std::string with_two_decimals(const std::string& svg) {
  constexpr int kMostDecimals = 2;
  std::string text;
  text.reserve(svg.size());
  bool is_in_tag = false;
  int decimals = -1;  // -1 outside of a number and before its point
  for (const char character : svg) {
    if (character == '<') is_in_tag = true;
    if (character == '>') is_in_tag = false;
    if (character == '.') {
      decimals = 0;
    } else if (character < '0' || character > '9') {
      decimals = -1;
    } else if (decimals >= 0) {
      ++decimals;
    }
    if (!is_in_tag || decimals <= kMostDecimals) text += character;
  }
  return text;
}

ordered_json drawn_on_page(const ordered_json& rows, bool are_repetitions) {
  Panels panels(rows, are_repetitions);
  ordered_json drawn = ordered_json::array();
  for (const ordered_json& row : rows) {
    if (panels.draws(row)) drawn.push_back(row);
  }
  return drawn;
}

// Returns what the rows have beside the table's columns, where a mark is drawn: {"columns": […], "rows": [[…], …]}.
ordered_json places_of_marks(const ordered_json& rows, const std::vector<std::string>& columns) {
  constexpr std::array kPlaces{"at", "low_at", "high_at"};
  ordered_json places{{"columns", ordered_json::array()}, {"rows", ordered_json::array()}};
  for (const char* const place : kPlaces) {
    const bool has_it = std::find(columns.begin(), columns.end(), place) == columns.end() &&
                        std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.contains(place); });
    if (has_it) places["columns"].push_back(place);
  }
  for (const ordered_json& row : rows) {
    ordered_json& of_row = places["rows"].emplace_back(ordered_json::array());
    for (const auto& column : places["columns"]) {
      const auto value = row.find(column.get<std::string>());
      const bool is_number = value != row.end() && value->is_number();
      of_row.push_back(is_number ? ordered_json(std::stod(fmt::format("{:.8g}", value->get<double>())))
                                 : ordered_json());
    }
  }
  return places;
}

}  // namespace

OnPage on_page(const Made& made, std::size_t most_rows) {
  ordered_json whole = json_text::parse_ordered(made.specification);
  const ordered_json rows = whole.at("datasets").at("rows");
  whole.erase("datasets");
  OnPage prepared;
  prepared.figure = {.name = made.figure->name,
                     .title = made.figure->title,
                     .reading = reading_of(*made.figure, made.remark),
                     .columns = text::split(made.figure->columns, ' ')};
  prepared.figure.section = made.figure->section;
  prepared.figure.section_reading = made.figure->section_reading;
  add_table(prepared.figure, rows, most_rows);
  prepared.figure.has_all_rows = prepared.figure.rows.size() == made.rows;
  if (prepared.figure.has_all_rows) whole["datasets"]["places"] = places_of_marks(rows, prepared.figure.columns);
  prepared.figure.specification = json_text::dump_ascii(whole);
  whole.erase("datasets");
  const auto& columns = prepared.figure.columns;
  const ordered_json drawn =
      drawn_on_page(rows, std::find(columns.begin(), columns.end(), "repetition") != columns.end());
  if (drawn.size() < rows.size()) {
    prepared.remark = fmt::format("The image has {} of {} rows; ngb report RESULTS --figures svg draws more of them.",
                                  drawn.size(), rows.size());
  }
  whole.erase("title");
  whole["config"]["background"] = "transparent";
  whole["config"]["font"] = kFont;
  whole["config"]["padding"] = 2;
  whole["config"]["aria"] = false;
  whole["datasets"]["rows"] = drawn;
  prepared.to_draw = json_text::dump_ascii(whole);
  return prepared;
}

std::string with_dark_colours(std::string svg) {
  const std::size_t end_of_tag = svg.find('>');
  if (end_of_tag == std::string::npos) return svg;
  const ordered_json colours = theme().at("dark");
  std::string rules;
  for (const auto& [light, dark] : colours.items()) {
    rules += fmt::format("[fill=\"{0}\"]{{fill:{1}}}[stroke=\"{0}\"]{{stroke:{1}}}", light, dark.get<std::string>());
  }
  svg.insert(end_of_tag + 1, "<style>@media (prefers-color-scheme:dark){" + rules + "}</style>");
  return svg;
}

page::Figures with_images(std::vector<OnPage> figures, const std::vector<std::string>& images) {
  page::Figures made;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    page::Figure& figure = figures[i].figure;
    if (i < images.size()) {
      std::string image = with_dark_colours(with_two_decimals(images[i]));
      const bool fits = bytes + image.size() <= kMostBytesOfImages;
      const std::string too_large =
          "It is not drawn here, because the page would become too large: ngb report RESULTS --figures svg draws it.";
      const std::string& remark = fits ? figures[i].remark : too_large;
      if (!remark.empty()) figure.reading += " " + remark;
      if (fits) bytes += image.size();
      if (fits) figure.image = std::move(image);
    }
    made.shown.push_back(std::move(figure));
  }
  return made;
}

}  // namespace ngb::report::figures
