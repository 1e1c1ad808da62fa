// SPDX-License-Identifier: Apache-2.0
#include "report/figures/width.h"

#include <algorithm>
#include <set>
#include <string>

namespace ngb::report::figures {
namespace {

using nlohmann::ordered_json;

// What Vega draws beside the panels, in pixels.
constexpr int kPadding = 40;  // and what the last number of an axis stands out by
constexpr int kAxisOfNumbers = 60;
constexpr int kAxisTitle = 17;
constexpr int kSpacing = 20;

std::set<std::string> texts_of(const std::vector<Row>& rows, const std::string& field) {
  std::set<std::string> texts;
  for (const Row& row : rows) {
    const auto value = row.find(field);
    if (value != row.end() && !value->is_null())
      texts.insert(value->is_string() ? value->get<std::string>() : value->dump());
  }
  return texts;
}

// Returns the channel of the first layer that has it with a field, or null.
ordered_json channel_of(const ordered_json& whole, const char* name) {
  for (const ordered_json& layer : whole.at("spec").at("layer")) {
    const ordered_json encoding = layer.value("encoding", ordered_json::object());
    if (encoding.contains(name) && encoding.at(name).contains("field")) return encoding.at(name);
  }
  return nullptr;
}

int width_of_axis(const ordered_json& whole, const std::vector<Row>& rows) {
  constexpr double kPixelsOfACharacter = 5.9;
  constexpr int kTicks = 12;
  constexpr int kUsualLimit = 260;  // of the theme
  const ordered_json y = channel_of(whole, "y");
  if (y.is_null() || y.value("type", "") == "quantitative") return kAxisOfNumbers;
  std::size_t longest = 0;
  for (const std::string& name : texts_of(rows, y.at("field").get<std::string>()))
    longest = std::max(longest, name.size());
  const int limit = y.value("axis", ordered_json::object()).value("labelLimit", kUsualLimit);
  const bool has_title = y.contains("title") && y.at("title").is_string();
  return kTicks + std::min(limit, static_cast<int>(kPixelsOfACharacter * static_cast<double>(longest))) +
         (has_title ? kAxisTitle : 0);
}

// Returns how wide the names of a grid's rows are. They are broken where they are longer than a panel is high; those
// that stand on their side are as wide as they have lines.
int width_of_row_names(const ordered_json& whole, const std::vector<Row>& rows) {
  constexpr double kPixelsOfACharacter = 6.6;  // of the theme's headers
  constexpr std::size_t kPixelsOfABrokenCharacter = 6;
  constexpr int kLine = 15;
  const ordered_json row = whole.at("facet").value("row", ordered_json::object());
  if (row.empty()) return 0;
  std::size_t longest = 1;
  for (const std::string& name : texts_of(rows, row.at("field").get<std::string>()))
    longest = std::max(longest, name.size());
  const auto height = static_cast<std::size_t>(extent_of_panel(whole, rows, "height"));
  const std::size_t most = height == 0 ? longest : std::max<std::size_t>(1, height / kPixelsOfABrokenCharacter);
  const bool is_level = row.value("header", ordered_json::object()).value("labelAngle", -90) == 0;
  if (is_level) return static_cast<int>(kPixelsOfACharacter * static_cast<double>(std::min(longest, most)));
  return kLine * static_cast<int>((longest + most - 1) / most);
}

bool has_own_axes(const ordered_json& whole) {
  return whole.contains("resolve") && whole.at("resolve").contains("scale") &&
         whole.at("resolve").at("scale").contains("y");
}

// Returns what is left for each of so many panels that are side by side.
int left_for_a_panel(const ordered_json& whole, const std::vector<Row>& rows, int columns, int width_px) {
  const ordered_json spacing = whole.value("spacing", ordered_json::object());
  const int between = spacing.is_object() ? spacing.value("column", kSpacing) : kSpacing;
  const bool is_wrapped = !whole.at("facet").contains("column");
  const int axes = has_own_axes(whole) ? columns : 1;
  // The gap of wrapped panels has room for the title of an axis.
  const int gaps = (columns - 1) * (is_wrapped && axes > 1 ? std::max(kSpacing, between - kAxisTitle) : between);
  return (width_px - kPadding - width_of_row_names(whole, rows) - axes * width_of_axis(whole, rows) - gaps) / columns;
}

std::size_t names_of(const ordered_json& channel, const std::vector<Row>& rows) {
  return channel.is_null() ? 0 : texts_of(rows, channel.at("field").get<std::string>()).size();
}

}  // namespace

int extent_of_panel(const ordered_json& whole, const std::vector<Row>& rows, const char* side) {
  const ordered_json size = whole.at("spec").value(side, ordered_json());
  if (size.is_number()) return size.get<int>();
  if (!size.is_object() || !size.contains("step")) return 0;
  const ordered_json channel = channel_of(whole, std::string_view(side) == "width" ? "x" : "y");
  return size.at("step").get<int>() * static_cast<int>(names_of(channel, rows));
}

int columns_of_legend(const ordered_json& whole, const std::vector<Row>& rows, int width_px) {
  constexpr double kPixelsOfACharacter = 6.2;  // of the theme's legends
  constexpr int kSymbol = 35;
  constexpr int kMost = 4;
  std::size_t longest = 1;
  for (const std::string& name : texts_of(rows, "compiler")) longest = std::max(longest, name.size());
  const int room = width_px - kPadding - width_of_row_names(whole, rows) - width_of_axis(whole, rows);
  const int entry = kSymbol + static_cast<int>(kPixelsOfACharacter * static_cast<double>(longest));
  return std::clamp(room / entry, 1, kMost);
}

bool fit_to_width(ordered_json& whole, const std::vector<Row>& rows, int width_px) {
  constexpr int kLeastPanel = 48;
  constexpr int kWidePanel = 170;
  constexpr int kLeastStep = 17;
  constexpr int kSmallStep = 24;
  const ordered_json facet = whole.at("facet");
  const bool is_grid = facet.contains("column");
  const std::string field = (is_grid ? facet.at("column") : facet).at("field").get<std::string>();
  int columns = std::max(1, static_cast<int>(texts_of(rows, field).size()));
  if (whole.contains("columns")) {
    columns = std::min(columns, whole.at("columns").get<int>());
    while (columns > 1 && left_for_a_panel(whole, rows, columns, width_px) < kWidePanel) --columns;
    whole["columns"] = columns;
  }
  ordered_json& width = whole.at("spec")["width"];
  const ordered_json x = channel_of(whole, "x");
  const std::size_t steps =
      x.is_null() ? 1 : std::max<std::size_t>(1, texts_of(rows, x.at("field").get<std::string>()).size());
  const int least = width.is_number() ? kLeastPanel : kLeastStep * static_cast<int>(steps);
  bool shares = false;
  if (is_grid && has_own_axes(whole) && left_for_a_panel(whole, rows, columns, width_px) < least) {
    whole.at("resolve").at("scale").erase("y");
    shares = true;
  }
  const int left = left_for_a_panel(whole, rows, columns, width_px);
  if (width.is_number()) {
    width = std::clamp(left, kLeastPanel, width_px);
    return shares;
  }
  if (x.is_null()) return shares;
  const int step =
      std::clamp(left / static_cast<int>(steps), kLeastStep, std::max(kLeastStep, width.value("step", kLeastStep)));
  width["step"] = step;
  for (ordered_json& layer : whole.at("spec").at("layer")) {
    if (step < kSmallStep && layer.at("mark").is_object() && layer.at("mark").value("type", "") == "text")
      layer["mark"]["fontSize"] = 7;
  }
  return shares;
}

}  // namespace ngb::report::figures
