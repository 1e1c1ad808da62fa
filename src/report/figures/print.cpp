// SPDX-License-Identifier: Apache-2.0
#include "report/figures/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace ngb::report::figures {
namespace {

using nlohmann::ordered_json;

// What Vega draws beside the panels, in pixels.
constexpr int kPadding = 6;
constexpr int kAxisOfNumbers = 40;
constexpr int kGapInPrint = 12;
constexpr int kSymbolOfLegend = 30;
constexpr double kPixelsOfALetter = 6;

std::vector<std::string> texts_of(const std::vector<Row>& rows, const std::string& field) {
  std::vector<std::string> texts;
  std::set<std::string> known;
  for (const Row& row : rows) {
    const auto value = row.find(field);
    if (value == row.end() || value->is_null()) continue;
    std::string text = value->is_string() ? value->get<std::string>() : value->dump();
    if (known.insert(text).second) texts.push_back(std::move(text));
  }
  return texts;
}

int longest_of(const std::vector<std::string>& texts, bool by_word) {
  std::size_t longest = 0;
  for (const std::string& text : texts) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = by_word ? std::min(text.find(' ', begin), text.size()) : text.size();
      longest = std::max(longest, end - begin);
      begin = end + 1;
    }
  }
  return static_cast<int>(kPixelsOfALetter * static_cast<double>(longest));
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
  constexpr int kUsualLimit = 260;  // of the theme
  const ordered_json y = channel_of(whole, "y");
  if (y.is_null() || y.value("type", "") == "quantitative") return kAxisOfNumbers;
  const int limit = y.value("axis", ordered_json::object()).value("labelLimit", kUsualLimit);
  return kGapInPrint + std::min(limit, longest_of(texts_of(rows, y.at("field").get<std::string>()), false));
}

// Returns how wide the legend is that each panel has of its own, or 0.
int width_of_own_legend(const ordered_json& whole, const std::vector<Row>& rows) {
  const ordered_json colour = channel_of(whole, "color");
  if (colour.is_null() || !whole.contains("resolve") || !whole.at("resolve").contains("legend")) return 0;
  return kSymbolOfLegend + longest_of(texts_of(rows, colour.at("field").get<std::string>()), false);
}

std::size_t names_of(const ordered_json& channel, const std::vector<Row>& rows) {
  return channel.is_null() ? 1
                           : std::max<std::size_t>(1, texts_of(rows, channel.at("field").get<std::string>()).size());
}

// What decides how many panels are side by side.
struct Line {
  std::string field{};    // whose values they are
  int most = 1;           // panels in one line
  int axes_of_each = 0;   // pixels beside every panel
  int axes_of_all = 0;    // and beside all of them
  int least_of_each = 0;  // that a panel needs

  [[nodiscard]] int left_for_each(int panels, int width_px) const {
    return (width_px - kPadding - axes_of_all - (panels - 1) * kGapInPrint) / panels - axes_of_each;
  }
};

Line line_of(const ordered_json& whole, const std::vector<Row>& rows) {
  constexpr int kLeastPanel = 52;
  constexpr int kLeastPanelWithAxes = 110;
  constexpr int kLeastStep = 21;  // as in draw_figures.py
  const ordered_json& facet = whole.at("facet");
  const bool is_grid = facet.contains("column");
  Line line{.field = (is_grid ? facet.at("column") : facet).at("field").get<std::string>()};
  const std::vector<std::string> names = texts_of(rows, line.field);
  line.most = std::max(1, static_cast<int>(names.size()));
  if (whole.contains("columns")) line.most = std::min(line.most, whole.at("columns").get<int>());
  const bool each_has_axes = !is_grid && panels_have_own_axes(whole);
  (each_has_axes ? line.axes_of_each : line.axes_of_all) = width_of_axis(whole, rows);
  const bool has_steps = !whole.at("spec").value("width", ordered_json()).is_number();
  const int of_steps = kLeastStep * static_cast<int>(names_of(channel_of(whole, "x"), rows));
  line.least_of_each = each_has_axes && !has_steps
                           ? kLeastPanelWithAxes
                           : std::max(has_steps ? of_steps : kLeastPanel, longest_of(names, true));
  line.least_of_each = std::max(line.least_of_each, width_of_own_legend(whole, rows) - line.axes_of_each);
  return line;
}

// Breaks names below the axis x, which would run into each other, at spaces.
void break_names_below(ordered_json& whole, const std::vector<Row>& rows, const std::string& panels, int panel_px) {
  const ordered_json channel = channel_of(whole, "x");
  if (channel.is_null()) return;
  std::map<std::string, std::set<std::string>> names;  // of each panel
  for (const Row& row : rows) {
    const auto name = row.find(channel.at("field").get<std::string>());
    if (name != row.end() && row.contains(panels)) names[row.at(panels).dump()].insert(name->dump());
  }
  std::size_t most = 1;
  for (const auto& [panel, of_panel] : names) most = std::max(most, of_panel.size());
  for (ordered_json& layer : whole.at("spec").at("layer")) {
    if (!layer.contains("encoding") || !layer.at("encoding").contains("x")) continue;
    ordered_json& x = layer.at("encoding").at("x");
    if (!x.contains("axis") || !x.at("axis").contains("labelAngle")) continue;
    x["axis"]["labelAngle"] = 0;
    x["axis"]["labelExpr"] = lines_of_at_most(panel_px / static_cast<int>(most));
  }
}

void leave_out_titles(ordered_json& part) {
  if (part.is_object() && part.contains("title")) part["title"] = nullptr;
}

// Returns the words between which a line may be broken: "95 %" is one.
std::vector<std::string> unbroken_words(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string& word : text::split(text, ' ')) {
    if (word.starts_with('%') && !words.empty()) {
      words.back() += " " + word;
    } else {
      words.push_back(word);
    }
  }
  return words;
}

}  // namespace

bool panels_have_own_axes(const ordered_json& whole) {
  return whole.contains("resolve") && whole.at("resolve").contains("scale") &&
         whole.at("resolve").at("scale").contains("y");
}

std::string lines_of_at_most(int width_px) {
  return fmt::format(R"(split(slice(replace(toString(datum.value), /(.{{1,{}}})(?: |$)/g, '$1\n'), 0, -1), '\n'))",
                     static_cast<int>(width_px / kPixelsOfALetter));
}

ordered_json lines_of(const std::string& text, std::size_t most) {
  ordered_json lines = ordered_json::array();
  std::string line;
  for (const std::string& word : unbroken_words(text)) {
    if (!line.empty() && line.size() + 1 + word.size() > most) {
      lines.push_back(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  lines.push_back(line);
  return lines;
}

int extent_of_panel(const ordered_json& whole, const std::vector<Row>& rows, const char* side) {
  const ordered_json size = whole.at("spec").value(side, ordered_json());
  if (size.is_number()) return size.get<int>();
  if (!size.is_object() || !size.contains("step")) return 0;
  const ordered_json channel = channel_of(whole, std::string_view(side) == "width" ? "x" : "y");
  if (channel.is_null()) return 0;
  return size.at("step").get<int>() * static_cast<int>(names_of(channel, rows));
}

int columns_of_legend(const std::vector<Row>& rows, int width_px) {
  constexpr int kMost = 4;
  const int entry = kSymbolOfLegend + longest_of(texts_of(rows, "compiler"), false);
  return std::clamp((width_px - kAxisOfNumbers) / entry, 1, kMost);
}

void fit_to_width(ordered_json& whole, const std::vector<Row>& rows, int width_px) {
  constexpr int kSmallStep = 24;
  constexpr int kSmallDigits = 8;
  constexpr int kLeastHeight = 80;
  const Line line = line_of(whole, rows);
  int panels = line.most;
  while (panels > 1 && line.left_for_each(panels, width_px) < line.least_of_each) --panels;
  const int left = std::max(line.least_of_each, line.left_for_each(panels, width_px));
  const std::size_t steps = names_of(channel_of(whole, "x"), rows);
  whole["usermeta"]["side_by_side"] = panels;
  whole["usermeta"]["steps"] = steps;
  whole["columns"] = panels;
  if (!whole.at("facet").contains("column")) whole["spacing"] = kGapInPrint;
  ordered_json& height = whole.at("spec")["height"];
  if (height.is_number()) height = std::min(height.get<int>(), std::max(kLeastHeight, left));
  ordered_json& width = whole.at("spec")["width"];
  break_names_below(whole, rows, line.field, left);
  if (!width.is_object()) {
    width = left;
    return;
  }
  const int step = left / static_cast<int>(steps);
  width["step"] = step;
  for (ordered_json& layer : whole.at("spec").at("layer")) {
    if (step < kSmallStep && layer.at("mark").is_object() && layer.at("mark").value("type", "") == "text" &&
        !layer.at("mark").contains("style")) {
      layer["mark"]["fontSize"] = kSmallDigits;
    }
  }
}

void set_rows_as_views(ordered_json& whole, const std::vector<Row>& rows, int width_px) {
  const ordered_json facet = whole.at("facet");
  const int panels = whole.at("columns").get<int>();
  if (!facet.contains("column")) return;
  const auto columns = static_cast<int>(texts_of(rows, facet.at("column").at("field").get<std::string>()).size());
  const bool has_own = panels_have_own_axes(whole);
  const bool has_steps = whole.at("spec").value("height", ordered_json()).is_object();  // which views cannot share
  if (columns <= panels && !has_own) {
    whole.erase("columns");  // which a grid has not
    return;
  }
  ordered_json views = ordered_json::array();
  const std::string field = facet.at("row").at("field").get<std::string>();
  const std::vector<std::string> names = texts_of(rows, field);
  for (const std::string& name : names) {
    const ordered_json filter{{"filter", {{"field", field}, {"equal", name}}}};
    ordered_json view{{"title",
                       {{"text", lines_of(name, static_cast<std::size_t>(width_px / kPixelsOfALetter))},
                        {"fontSize", 11},
                        {"offset", 6}}},
                      {"transform", ordered_json::array({filter})},
                      {"facet", facet.at("column")},
                      {"columns", panels},
                      {"spacing", kGapInPrint},
                      {"spec", whole.at("spec")}};
    if (columns > panels) view["resolve"]["axis"]["x"] = "independent";  // else panels above a gap have none
    if (columns <= panels && &name != &names.front()) view["facet"]["header"] = {{"labelExpr", "''"}};
    views.push_back(std::move(view));
  }
  for (const char* const key : {"facet", "spec", "columns", "spacing", "resolve"}) whole.erase(key);
  whole["vconcat"] = std::move(views);
  whole["spacing"] = kGapInPrint;
  if (!has_own && !has_steps) whole["resolve"]["scale"]["y"] = "shared";
}

std::string take_titles_of_axes(ordered_json& whole) {
  std::string words;
  for (const char* const channel : {"y", "x"}) {
    const ordered_json axis = channel_of(whole, channel);
    if (axis.is_null() || !axis.contains("title") || !axis.at("title").is_string()) continue;
    if (words.empty() && axis.value("type", "") != "quantitative") continue;
    words += (words.empty() ? "" : " over ") + axis.at("title").get<std::string>();
  }
  if (words.empty()) return words;
  for (ordered_json& layer : whole.at("spec").at("layer")) {
    if (!layer.contains("encoding")) continue;
    for (const char* const channel : {"x", "y"}) {
      if (layer.at("encoding").contains(channel)) leave_out_titles(layer.at("encoding").at(channel));
    }
  }
  return words;
}

}  // namespace ngb::report::figures
