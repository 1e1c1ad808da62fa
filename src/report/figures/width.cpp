// SPDX-License-Identifier: Apache-2.0
#include "report/figures/width.h"

#include <algorithm>
#include <set>
#include <string>

namespace ngb::report::figures {
namespace {

using nlohmann::ordered_json;

// What Vega draws beside the panels, in pixels.
constexpr int kMargins = 55;  // the padding, and the names of a grid's rows
constexpr int kAxisOfNumbers = 50;
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
  constexpr double kPixelsOfACharacter = 5.5;
  constexpr int kTicks = 12;
  constexpr int kUsualLimit = 260;  // of the theme
  const ordered_json y = channel_of(whole, "y");
  if (y.is_null() || y.value("type", "") == "quantitative") return kAxisOfNumbers;
  std::size_t longest = 0;
  for (const std::string& name : texts_of(rows, y.at("field").get<std::string>()))
    longest = std::max(longest, name.size());
  const int limit = y.value("axis", ordered_json::object()).value("labelLimit", kUsualLimit);
  return kTicks + std::min(limit, static_cast<int>(kPixelsOfACharacter * static_cast<double>(longest)));
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
  // The gap of wrapped panels is made for an axis.
  const int gaps = (columns - 1) * (is_wrapped && axes > 1 ? std::max(kSpacing, between - kAxisOfNumbers) : between);
  return (width_px - kMargins - axes * width_of_axis(whole, rows) - gaps) / columns;
}

}  // namespace

bool fit_to_width(ordered_json& whole, const std::vector<Row>& rows, int width_px) {
  constexpr int kLeastPanel = 48;
  constexpr int kWidePanel = 170;
  const ordered_json facet = whole.at("facet");
  const bool is_grid = facet.contains("column");
  const std::string field = (is_grid ? facet.at("column") : facet).at("field").get<std::string>();
  int columns = std::max(1, static_cast<int>(texts_of(rows, field).size()));
  if (whole.contains("columns")) {
    columns = std::min(columns, whole.at("columns").get<int>());
    while (columns > 1 && left_for_a_panel(whole, rows, columns, width_px) < kWidePanel) --columns;
    whole["columns"] = columns;
  }
  bool shares = false;
  if (is_grid && has_own_axes(whole) && left_for_a_panel(whole, rows, columns, width_px) < kLeastPanel) {
    whole.at("resolve").at("scale").erase("y");
    shares = true;
  }
  const int left = left_for_a_panel(whole, rows, columns, width_px);
  ordered_json& width = whole.at("spec")["width"];
  if (width.is_number()) {
    width = std::clamp(left, kLeastPanel, width_px);
    return shares;
  }
  constexpr int kLeastStep = 17;
  constexpr int kSmallStep = 24;
  const ordered_json x = channel_of(whole, "x");
  if (x.is_null()) return shares;
  const auto steps = std::max<std::size_t>(1, texts_of(rows, x.at("field").get<std::string>()).size());
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
